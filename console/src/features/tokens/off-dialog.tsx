import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { deleteTokens, setStatuses, useTokensChange } from './mutations.ts'

/** Asks before tokens are switched off or deleted. */
export function OffDialog(props: {
  kind: 'disable' | 'delete'
  tokens: readonly Token[]
  onDone: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { kind, tokens } = props
  const ids = tokens.map(({ id }) => id)
  const change = useTokensChange(
    (of: 'disable' | 'delete') =>
      of === 'delete' ? deleteTokens(ids) : setStatuses({ ids, status: 2 }),
    () => {
      notifySuccess(t(kind === 'delete' ? 'tokens.deleted' : 'tokens.disabled'))
      props.onDone()
    },
  )
  return (
    <ConfirmDialog
      isOpen
      isDanger
      title={
        tokens.length === 1
          ? t(`tokens.${kind}Title`, { name: tokens[0]?.name ?? '' })
          : t(`tokens.${kind}Many`, { n: tokens.length })
      }
      consequence={t(`tokens.${kind}Consequence`)}
      confirmLabel={t(`action.${kind}`)}
      isBusy={change.isPending}
      onConfirm={() => change.mutate(kind)}
      onClose={props.onClose}
    />
  )
}
