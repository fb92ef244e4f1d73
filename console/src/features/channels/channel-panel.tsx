import { Button, Flex, Heading, Stack, Text } from '@chakra-ui/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Channel, StateChange } from '../../core/contract.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { channelType, channelTypeName } from '../../parts/channel-types.ts'
import { ExportButton } from '../../parts/export-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { LedgerLinks } from '../../parts/ledger-links.tsx'
import { Money } from '../../parts/money.tsx'
import { Opens } from '../../parts/opens.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import type { Tone } from '../../parts/tag.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { ResponseTime, State, UpstreamBalance } from './channel-cells.tsx'
import { stateNote } from './channel-status.ts'
import type { ChannelAction } from './columns.tsx'
import { modelsOf } from './impact.ts'
import { channelHistoryAt, channelHistoryQuery } from './queries.ts'

/** A channel: how it is doing, what it serves, and when it went in and out of service. */
export function ChannelPanel(props: { channel: Channel; act: (action: ChannelAction) => void }) {
  const { t } = useTranslation()
  const { channel, act } = props
  const actions = [
    ['test', t('channels.test')],
    ['testWith', t('channels.testWith')],
    ['edit', t('action.edit')],
    channel.status === 1
      ? (['disable', t('action.disable')] as const)
      : (['enable', t('action.enable')] as const),
    ['delete', t('action.delete')],
  ] as const
  return (
    <Stack gap="5">
      <ChannelFacts channel={channel} />
      {/* All in one line on a phone of 360 px. */}
      <Flex gap={{ base: '1.5', sm: '2' }} wrap="wrap">
        {actions.map(([type, text]) => (
          <Button
            key={type}
            size="xs"
            px={{ base: '2', sm: '2.5' }}
            variant="outline"
            {...(type === 'delete' ? { color: 'fg.error' } : {})}
            onClick={() => act({ type, channel })}
          >
            {text}
          </Button>
        ))}
      </Flex>
      <History id={channel.id} />
    </Stack>
  )
}

function ChannelFacts({ channel }: { channel: Channel }) {
  const { t, i18n } = useTranslation()
  const note = stateNote(channel)
  return (
    <Facts
      facts={[
        { label: t('channels.id'), value: channel.id },
        {
          label: t('channels.type'),
          value: (
            <Tag palette={channelType(channel.type).palette}>
              {channelTypeName(channel.type, i18n.language)}
            </Tag>
          ),
        },
        { label: t('channels.status'), value: <State channel={channel} /> },
        { label: t('channels.reason'), value: note.reason },
        {
          label: t('channels.disabledAt'),
          value: note.at === null ? null : <Time seconds={note.at} />,
        },
        { label: t('channels.responseTime'), value: <ResponseTime channel={channel} /> },
        {
          label: t('channels.tested'),
          value: channel.test_time > 0 ? <Time seconds={channel.test_time} /> : t('channels.never'),
        },
        {
          label: t('channels.usedOf'),
          value: (
            <Opens>
              <Link to="/log" search={{ type: 2, channel: channel.id }}>
                <Money value={channel.used_quota} />
              </Link>
            </Opens>
          ),
        },
        { label: t('channels.balance'), value: <UpstreamBalance channel={channel} /> },
        {
          label: t('ledger.label'),
          value: <LedgerLinks stream={`channel-${channel.id}`} journal={{ channel: channel.id }} />,
        },
        { label: t('channels.group'), value: channel.group.replaceAll(',', ', ') },
        { label: t('channels.priority'), value: String(channel.priority ?? 0) },
        { label: t('channels.weight'), value: String(channel.weight ?? 0) },
        { label: t('channels.tag'), value: channel.tag },
        { label: t('channels.models'), value: modelsOf(channel).join(', ') },
      ]}
    />
  )
}

const TONES = {
  enabled: 'good',
  disabled: 'neutral',
  'auto-disabled': 'warning',
  'half-open': 'info',
  deleted: 'bad',
} as const satisfies Record<StateChange['state'], Tone>

function History({ id }: { id: number }) {
  const { t } = useTranslation()
  const history = useInfiniteQuery(channelHistoryQuery(id))
  const changes = history.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <Stack as="section" gap="3" aria-label={t('channels.history')}>
      <Flex justify="space-between" align="center" gap="3">
        <Heading as="h3" size="sm">
          {t('channels.history')}
        </Heading>
        {changes.length > 0 ? (
          <ExportButton
            size="xs"
            name={`channel-${id}-history`}
            list={() => channelHistoryAt(id)}
          />
        ) : null}
      </Flex>
      {history.data ? (
        <Timeline
          label={t('channels.history')}
          entries={changes.map((change) => ({
            id: change.event_id,
            what: t(`channels.event_${change.event}` as 'channels.event_ChannelAdded'),
            tone: TONES[change.state],
            at: change.changed_at,
            by: change.user_id === null ? t('channels.byTollgate') : change.username,
            why: <Why change={change} />,
          }))}
        />
      ) : history.error ? (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      ) : (
        <SkeletonRows rows={3} height="24px" />
      )}
      {history.hasNextPage ? (
        <BusyButton
          size="xs"
          variant="outline"
          alignSelf="flex-start"
          isBusy={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {t('channels.earlier')}
        </BusyButton>
      ) : null}
    </Stack>
  )
}

/** Why, in upstream's words where it said something. */
function Why({ change }: { change: StateChange }) {
  const { t } = useTranslation()
  const { reason, upstream_status: status, body_excerpt: excerpt } = change
  if (reason === '' && status === null) return null
  return (
    <>
      <Text>
        {[reason, status === null ? '' : t('channels.answered', { status })]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      {excerpt && excerpt !== reason ? (
        <Text fontFamily="mono" fontSize="xs" color="fg.muted">
          {excerpt}
        </Text>
      ) : null}
    </>
  )
}
