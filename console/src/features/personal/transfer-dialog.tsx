import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { callEnvelope } from '../../core/api.ts'
import { selfQuery } from '../../core/status.ts'
import { amountText } from '../../parts/amount.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Money } from '../../parts/money.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { moneyString, parseQuota } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'

/** Moves what invitations earned into the balance, from one unit of currency on. */
export function TransferDialog({ available, onClose }: { available: number; onClose: () => void }) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  // The same key for every try of this dialog: an answer that was lost does not move it twice.
  const [idempotencyKey, setKey] = useState(() =>
    crypto.getRandomValues(new Uint32Array(4)).join('-'),
  )
  const quotaOf = (amount: string) => parseQuota(amount, unit, quotaPerUnit)
  const form = useForm<{ amount: string }, 'least' | 'lacking'>({
    initial: { amount: amountText(quotaPerUnit, unit, quotaPerUnit) },
    check: ({ amount }) => {
      const quota = quotaOf(amount)
      if (quota === null || quota < quotaPerUnit) return { amount: 'least' }
      return quota > available ? { amount: 'lacking' } : {}
    },
    say: (problem) =>
      t(`personal.transfer_${problem}`, { least: moneyString(quotaPerUnit, unit, quotaPerUnit) }),
    save: ({ amount }) =>
      callEnvelope('POST', '/api/user/aff_transfer', {
        body: { quota: quotaOf(amount) ?? 0 },
        idempotencyKey,
      }),
    refresh: [selfQuery.queryKey],
    onSaved: () => {
      notifySuccess(t('personal.transferred'))
      onClose()
    },
  })
  const amount = form.text('amount')
  return (
    <FormDialog
      title={t('personal.transferTitle')}
      form={form}
      submitLabel={t('personal.transferSubmit')}
      onClose={onClose}
    >
      <Facts
        facts={[
          { label: t('personal.affQuota'), value: <Money kind="balance" value={available} /> },
        ]}
      />
      <AmountField
        label={t('personal.transferAmount')}
        value={amount.value}
        error={amount.error}
        onChange={(value) => {
          // Another amount is another wish.
          setKey(crypto.getRandomValues(new Uint32Array(4)).join('-'))
          amount.onChange(value)
        }}
        presets={[quotaPerUnit, ...(available > quotaPerUnit ? [available] : [])]}
      />
    </FormDialog>
  )
}
