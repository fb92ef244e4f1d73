import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { setTagStatus, useChannelChange } from './mutations.ts'
import { useOffConsequence } from './off-consequence.ts'
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
      <TagHeader tag={tag} channels={rows} />
      {render(rows)}
    </Box>
  ))
}

function TagHeader({ tag, channels }: { tag: string; channels: readonly Channel[] }) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState<'edit' | 'disable' | null>(null)
  const close = () => setOpened(null)
  const change = useChannelChange(setTagStatus)
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
      {opened === 'disable' ? <TagOffDialog tag={tag} channels={channels} onClose={close} /> : null}
    </Flex>
  )
}

function TagOffDialog({
  tag,
  channels,
  onClose,
}: {
  tag: string
  channels: readonly Channel[]
  onClose: () => void
}) {
  const { t } = useTranslation()
  const change = useChannelChange(setTagStatus, onClose)
  const enabled = channels.filter((channel) => channel.status === 1).length
  const consequence = useOffConsequence(
    t('channels.disableText', { count: enabled }),
    channels.map((channel) => channel.id),
  )
  return (
    <ConfirmDialog
      isOpen
      isDanger
      title={t('channels.disableTitle', { name: tag })}
      consequence={consequence}
      confirmLabel={t('action.disable')}
      isBusy={change.isPending}
      onConfirm={() => change.mutate({ tag, isOn: false })}
      onClose={onClose}
    />
  )
}
