import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { modelsLeftWithout } from './impact.ts'
import { deleteChannels, setStatuses, useChannelChange } from './mutations.ts'
import { allChannelsQuery } from './queries.ts'

/** How many model names a sentence can hold. */
const NAMES_MAX = 6

/** Asks before channels are switched off or deleted, naming the models that nothing would serve afterwards. */
export function OffDialog(props: {
  kind: 'disable' | 'delete'
  channels: readonly Channel[]
  onDone: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { kind, channels, onDone } = props
  const all = useQuery(allChannelsQuery)
  const ids = channels.map((channel) => channel.id)
  const run = useChannelChange(
    () => (kind === 'disable' ? setStatuses({ ids, status: 2 }) : deleteChannels(ids)),
    onDone,
  )
  const orphans = modelsLeftWithout(all.data ?? channels, new Set(ids))
  const names = `${orphans.slice(0, NAMES_MAX).join(', ')}${orphans.length > NAMES_MAX ? ' …' : ''}`
  const consequence = [
    kind === 'disable'
      ? t('channels.disableText', { n: ids.length })
      : t('channels.deleteText', { n: ids.length }),
    orphans.length > 0
      ? t('channels.orphans', { n: orphans.length, names })
      : t('channels.noOrphans'),
  ].join('\n\n')
  const [only] = channels
  const name =
    channels.length === 1 && only ? only.name : t('channels.nChannels', { n: ids.length })
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
