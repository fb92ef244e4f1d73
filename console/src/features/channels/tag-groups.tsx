import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { modelsLeftWithout } from './impact.ts'
import { setTagStatus, useChannelChange } from './mutations.ts'
import { TagDrawer } from './tag-drawer.tsx'

/** Channels gathered under their tags, each tag with what can be done to all of its channels. */
export function TagGroups({
  channels,
  render,
}: {
  channels: readonly Channel[]
  render: (rows: readonly Channel[]) => ReactNode
}) {
  const byTag = Map.groupBy(channels, (channel) => channel.tag ?? '')
  // Those without a tag come last.
  const groups = [...byTag].toSorted(([one], [other]) => Number(one === '') - Number(other === ''))
  return groups.map(([tag, rows]) => (
    <Box key={tag} borderBottomWidth="1px" borderColor="border">
      <TagHeader tag={tag} channels={rows} all={channels} />
      {render(rows)}
    </Box>
  ))
}

function TagHeader({
  tag,
  channels,
  all,
}: {
  tag: string
  channels: readonly Channel[]
  all: readonly Channel[]
}) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState<'edit' | 'disable' | null>(null)
  const close = () => setOpened(null)
  const change = useChannelChange(setTagStatus, close)
  const orphans = modelsLeftWithout(all, new Set(channels.map((channel) => channel.id)))
  const enabled = channels.filter((channel) => channel.status === 1).length
  return (
    <Flex align="center" gap="2" px="3" py="2" wrap="wrap" bg="bg.subtle">
      <Heading as="h2" size="sm">
        {tag || t('channels.untagged')}
      </Heading>
      <Text color="fg.muted" me="auto">
        {t('channels.tagCount', { n: channels.length, enabled })}
      </Text>
      {tag ? (
        <>
          <Button size="2xs" variant="outline" onClick={() => change.mutate({ tag, isOn: true })}>
            {t('channels.tagEnable')}
          </Button>
          <Button size="2xs" variant="outline" onClick={() => setOpened('disable')}>
            {t('channels.tagDisable')}
          </Button>
          <Button size="2xs" variant="outline" onClick={() => setOpened('edit')}>
            {t('action.edit')}
          </Button>
        </>
      ) : null}
      {opened === 'edit' ? <TagDrawer tag={tag} onClose={close} /> : null}
      <ConfirmDialog
        isOpen={opened === 'disable'}
        isDanger
        title={t('channels.disableTitle', { name: tag })}
        consequence={[
          t('channels.disableText', { n: enabled }),
          orphans.length > 0
            ? t('channels.orphans', { n: orphans.length, names: orphans.slice(0, 6).join(', ') })
            : t('channels.noOrphans'),
        ].join('\n\n')}
        confirmLabel={t('action.disable')}
        isBusy={change.isPending}
        onConfirm={() => change.mutate({ tag, isOn: false })}
        onClose={close}
      />
    </Flex>
  )
}
