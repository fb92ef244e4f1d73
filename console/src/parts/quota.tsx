import { chakra } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { usePreference } from '../core/preferences.ts'
import { useStatus } from '../core/status.ts'
import type { QuotaUnit } from './quota-format.ts'
import { columnQuota, DEFAULT_QUOTA_PER_UNIT, exactQuota } from './quota-format.ts'

/** How this visitor sees amounts: the unit chosen here, else the option DisplayInCurrencyEnabled. */
export function useQuotaUnit(): {
  unit: QuotaUnit
  quotaPerUnit: number
  setUnit: (unit: QuotaUnit) => void
} {
  const status = useStatus()
  const byOption = status?.display_in_currency === false ? 'quota' : 'currency'
  const [stored, store] = usePreference('quota-unit', byOption)
  return {
    unit: stored === 'quota' ? 'quota' : 'currency',
    quotaPerUnit: status?.quota_per_unit ?? DEFAULT_QUOTA_PER_UNIT,
    setUnit: store,
  }
}

/** An amount with every digit, for table cells under a header that names the unit. */
export function QuotaCell({ value }: { value: number }) {
  const { unit, quotaPerUnit } = useQuotaUnit()
  return <Exact value={value} text={columnQuota(value, unit, quotaPerUnit)} />
}

/** The unit's name for a column header: the currency sign or the word for raw quota. */
export function useUnitName(): string {
  const { t } = useTranslation()
  const { unit } = useQuotaUnit()
  return unit === 'currency' ? '$' : t('quota.raw')
}

function Exact({ value, text }: { value: number; text: string }) {
  const hint = useExactHint()
  return (
    <chakra.span data-hint={hint(value)} fontVariantNumeric="tabular-nums" whiteSpace="nowrap">
      {text}
    </chakra.span>
  )
}

/** Writes an amount in both units with all digits, for the hint that every amount carries. */
export function useExactHint(): (quota: number) => string {
  const { t } = useTranslation()
  const { quotaPerUnit } = useQuotaUnit()
  return (quota) => t('quota.exact', exactQuota(quota, quotaPerUnit))
}
