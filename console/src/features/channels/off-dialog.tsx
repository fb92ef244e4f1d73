import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { deleteChannels, setStatuses, useChannelChange } from './mutations.ts'
import { useOffConsequence } from './off-consequence.ts'

/** Asks before channels are switched off or deleted, and says what follows. */
export function OffDialog(props: {
  kind: 'disable' | 'delete'
  channels: readonly Channel[]
  onDone: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { kind, channels, onDone } = props
  const ids = channels.map((channel) => channel.id)
  const run = useChannelChange(
    () => (kind === 'disable' ? setStatuses({ ids, status: 2 }) : deleteChannels(ids)),
    onDone,
  )
  const consequence = useOffConsequence(
    kind === 'disable'
      ? t('channels.disableText', { count: ids.length })
      : t('channels.deleteText', { count: ids.length }),
    ids,
  )
  const [only] = channels
  const name =
    channels.length === 1 && only ? only.name : t('channels.nChannels', { count: ids.length })
  return (
    <ConfirmDialog
      isOpen
      isDanger
      title={t(`channels.${kind}Title`, { name })}
      consequence={consequence}
      confirmLabel={t(`action.${kind}`)}
      isBusy={run.isPending}
      onConfirm={() => run.mutate(undefined)}
      onClose={props.onClose}
    />
  )
}
