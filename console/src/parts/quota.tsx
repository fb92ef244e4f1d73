import type { ReactNode } from 'react'
import { createContext, useContext, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { setPreference, usePreference } from '../core/preferences.ts'
import { useStatus } from '../core/status.ts'
import { FIGURE } from './figure-style.ts'
import type { QuotaUnit } from './quota-format.ts'
import { columnQuota, DEFAULT_QUOTA_PER_UNIT, exactQuota } from './quota-format.ts'

/** How this visitor sees amounts: the unit chosen here, else the option DisplayInCurrencyEnabled. */
interface QuotaUnits {
  readonly unit: QuotaUnit
  readonly quotaPerUnit: number
  readonly setUnit: (unit: QuotaUnit) => void
  /** Writes an amount in both units with all digits, for the hint that every amount carries. */
  readonly exactHint: (quota: number) => string
}

const Units = createContext<QuotaUnits | null>(null)

/** Settles once how amounts are shown, for all the hundreds of them within. */
export function QuotaUnitProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const status = useStatus()
  const byOption = status?.display_in_currency === false ? 'quota' : 'currency'
  const [stored] = usePreference('quota-unit', byOption)
  const unit: QuotaUnit = stored === 'quota' ? 'quota' : 'currency'
  const quotaPerUnit = status?.quota_per_unit ?? DEFAULT_QUOTA_PER_UNIT
  const units = useMemo(
    () => ({
      unit,
      quotaPerUnit,
      setUnit,
      exactHint: (quota: number) => t('quota.exact', exactQuota(quota, quotaPerUnit)),
    }),
    [t, unit, quotaPerUnit],
  )
  return <Units value={units}>{children}</Units>
}

const setUnit = (unit: QuotaUnit): void => setPreference('quota-unit', unit)

/** How amounts are shown here. */
export function useQuotaUnit(): QuotaUnits {
  const units = useContext(Units)
  if (!units) throw new Error('Amounts are shown within a QuotaUnitProvider.')
  return units
}

/** Says that the amounts within stand without a header that names their unit, as on a phone. */
export const WithoutHeader = createContext(false)

/** The currency sign where amounts have to carry it themselves, else nothing. */
export function useShownSign(): string {
  const { unit } = useQuotaUnit()
  return useContext(WithoutHeader) && unit === 'currency' ? '$' : ''
}

/** An amount with every digit, for table cells under a header that names the unit. */
export function QuotaCell({ value }: { value: number }) {
  const { unit, quotaPerUnit, exactHint } = useQuotaUnit()
  const sign = useShownSign()
  const text = columnQuota(Math.abs(value), unit, quotaPerUnit)
  return (
    <span data-hint={exactHint(value)} style={FIGURE}>
      {`${value < 0 ? '-' : ''}${sign}${text}`}
    </span>
  )
}

/** The unit's name for a column header: the currency sign or the word for raw quota. */
export function useUnitName(): string {
  const { t } = useTranslation()
  const { unit } = useQuotaUnit()
  return unit === 'currency' ? '$' : t('quota.raw')
}
