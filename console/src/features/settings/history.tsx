import { Box, Flex, Stack, Text } from '@chakra-ui/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Diff } from '../../parts/diff.tsx'
import { Money } from '../../parts/money.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import type { OptionHistoryEntry } from './history-query.ts'
import { sectionHistoryQuery } from './history-query.ts'
import { labelOf } from './option-words.ts'
import type { OptionKey, SectionName } from './options.ts'
import { specOf } from './options.ts'

/** Every change of a section's options: who, when, from what to what, and why if that was said. Of a secret only that it changed. */
export default function SectionHistory(props: { name: SectionName; onClose: () => void }) {
  const { t } = useTranslation()
  const query = useInfiniteQuery(sectionHistoryQuery(props.name))
  const changes = query.data?.pages.flatMap(({ items }) => items) ?? []
  const isEnd = query.isSuccess && !query.hasNextPage
  return (
    <SidePanel
      size="lg"
      title={t('settings.historyOf', { title: t(`settings.section_${props.name}`) })}
      onClose={props.onClose}
    >
      {query.isPending ? <SkeletonRows rows={6} height="56px" /> : null}
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : null}
      {isEnd && changes.length === 0 ? (
        <EmptyState title={t('settings.noHistory')} detail={t('settings.noHistoryDetail')} />
      ) : null}
      <Stack as="ul" listStyleType="none" gap="4">
        {changes.map((change) => (
          <Change key={`${change.event_id} ${change.key}`} change={change} />
        ))}
      </Stack>
      {query.hasNextPage ? (
        <BusyButton
          mt="4"
          size="sm"
          variant="outline"
          isBusy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('settings.olderChanges')}
        </BusyButton>
      ) : null}
    </SidePanel>
  )
}

function Change({ change }: { change: OptionHistoryEntry }) {
  const { t } = useTranslation()
  return (
    <Box as="li">
      <Flex justify="space-between" gap="3" wrap="wrap" rowGap="0">
        <Text fontWeight="600">{labelOf(change.key, t)}</Text>
        <Text color="fg.muted" fontSize="xs">
          {change.user_id === null ? 'Tollgate' : change.username || '–'}
          {' · '}
          <Time seconds={change.changed_at} />
        </Text>
      </Flex>
      <Values change={change} />
      {change.note ? (
        <Text color="fg.muted" overflowWrap="anywhere">
          {change.note}
        </Text>
      ) : null}
    </Box>
  )
}

/** Texts of one line stand beside each other, longer ones are compared. */
const LINE_MAX = 40

function Values({
  change: { key, is_secret: isSecret, old, new: text },
}: {
  change: OptionHistoryEntry
}) {
  const { t } = useTranslation()
  if (isSecret || old === null || text === null)
    return <Text color="fg.muted">{t('settings.secretChanged')}</Text>
  const { kind } = specOf(key)
  const isLong = [old, text].some((value) => value.length > LINE_MAX || value.includes('\n'))
  if (kind === 'table' || kind === 'lines' || isLong) return <Diff old={old} text={text} />
  return (
    <Text overflowWrap="anywhere">
      <Value optionKey={key} text={old} />
      {' → '}
      <Value optionKey={key} text={text} />
    </Text>
  )
}

function Value({ optionKey: key, text }: { optionKey: OptionKey; text: string }) {
  const { t } = useTranslation()
  const spec = specOf(key)
  if (spec.kind === 'switch') return t(text === 'true' ? 'settings.valueOn' : 'settings.valueOff')
  if (text === '') return t('settings.valueEmpty')
  return spec.kind === 'number' && spec.isQuota ? <Money value={Number(text)} /> : text
}
