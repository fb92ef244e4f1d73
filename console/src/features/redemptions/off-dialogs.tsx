import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Redemption } from '../../core/contract.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import { deleteCodes, invalidCodes, setStatuses, useCodesChange } from './mutations.ts'

/** Asks before codes are switched off or deleted. */
export function OffDialog(props: {
  kind: 'disable' | 'delete'
  codes: readonly Redemption[]
  onDone: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { kind, codes } = props
  const ids = codes.map(({ id }) => id)
  const change = useCodesChange(
    (of: 'disable' | 'delete') =>
      of === 'delete' ? deleteCodes(ids) : setStatuses({ ids, status: 2 }),
    () => {
      notifySuccess(t(kind === 'delete' ? 'redemptions.deleted' : 'redemptions.disabled'))
      props.onDone()
    },
  )
  const name = codes[0]?.name ?? ''
  return (
    <ConfirmDialog
      isOpen
      isDanger
      title={
        codes.length === 1
          ? t(`redemptions.${kind}Title`, { name })
          : t(`redemptions.${kind}Many`, { n: codes.length })
      }
      consequence={t(`redemptions.${kind}Consequence`)}
      confirmLabel={t(`action.${kind}`)}
      isBusy={change.isPending}
      onConfirm={() => change.mutate(kind)}
      onClose={props.onClose}
    />
  )
}

/** Deletes the codes that are used or disabled, after saying how many of each there are. */
export function DeleteInvalid() {
  const { t } = useTranslation()
  const [found, setFound] = useState<readonly Redemption[]>([])
  const look = useMutation({
    mutationFn: invalidCodes,
    onSuccess: (codes) => {
      if (codes.length === 0) notifyInfo(t('redemptions.noneInvalid'))
      setFound(codes)
    },
  })
  const change = useCodesChange(deleteCodes, () => {
    notifySuccess(t('redemptions.invalidDeleted', { count: found.length }))
    setFound([])
  })
  const used = found.filter(({ status }) => status === 3).length
  return (
    <>
      <BusyButton size="sm" variant="outline" isBusy={look.isPending} onClick={() => look.mutate()}>
        {t('redemptions.deleteInvalid')}
      </BusyButton>
      <ConfirmDialog
        isOpen={found.length > 0}
        isDanger
        title={t('redemptions.deleteInvalid')}
        consequence={t('redemptions.invalidConsequence', { used, disabled: found.length - used })}
        confirmLabel={t('action.delete')}
        isBusy={change.isPending}
        onConfirm={() => change.mutate(found.map(({ id }) => id))}
        onClose={() => setFound([])}
      />
    </>
  )
}
