import { Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
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
  const quotaOf = (amount: string) => parseQuota(amount, unit, quotaPerUnit)
  const formatProblem = (problem: 'least' | 'lacking') =>
    t(`personal.transfer_${problem}`, { least: moneyString(quotaPerUnit, unit, quotaPerUnit) })
  const form = useForm<{ amount: string }, 'least' | 'lacking'>({
    initial: { amount: amountText(quotaPerUnit, unit, quotaPerUnit) },
    check: ({ amount }) => {
      const quota = quotaOf(amount)
      if (quota === null || quota < quotaPerUnit) return { amount: 'least' }
      return quota > available ? { amount: 'lacking' } : {}
    },
    say: formatProblem,
    save: ({ amount }) => post('/api/user/aff_transfer', { quota: quotaOf(amount) ?? 0 }),
    refresh: [selfQuery.queryKey],
    onSaved: () => {
      notifySuccess(t('personal.transferred'))
      onClose()
    },
  })
  const amount = form.text('amount')
  const isTooLittle = available < quotaPerUnit
  return (
    <FormDialog
      title={t('personal.transferTitle')}
      form={form}
      submitLabel={t('personal.transferSubmit')}
      isDisabled={isTooLittle}
      onClose={onClose}
    >
      <Facts
        facts={[
          { label: t('personal.affQuota'), value: <Money kind="balance" value={available} /> },
        ]}
      />
      {isTooLittle ? (
        <Text color="fg.muted">{formatProblem('least')}</Text>
      ) : (
        <AmountField
          label={t('personal.transferAmount')}
          value={amount.value}
          error={amount.error}
          onChange={amount.onChange}
          presets={[quotaPerUnit, ...(available > quotaPerUnit ? [available] : [])]}
        />
      )}
    </FormDialog>
  )
}
