import { QUOTA_PRESETS } from '../../parts/amount.ts'

/** The unit of a top-up's amount: dollars while DisplayInCurrencyEnabled, else quota (console API, section 2.12). */
export interface TopUpUnit {
  readonly isDollars: boolean
  readonly quotaPerUnit: number
  /** Dollars. */
  readonly minTopUp: number
}

/**
 * The typed amount, never below 1 (seeds, section 5); empty while it is being typed anew. What is no whole number stays
 * as typed, for the form to refuse: leaving out the point of 12.5 would order 125.
 */
export function forcedAmount(text: string): string {
  const typed = text.replaceAll(/[\s,]/g, '')
  if (/^-\d/.test(typed)) return '1'
  const digits = typed.replace(/^0+(?=\d)/, '')
  return digits === '0' ? '1' : digits
}

/** Whether it can be ordered: neither a fraction nor letters. */
export const isWholeAmount = (text: string): boolean => /^\d+$/.test(text)

/** The smallest amount that can be ordered. */
export function leastAmount({ isDollars, quotaPerUnit, minTopUp }: TopUpUnit): number {
  return isDollars ? minTopUp : minTopUp * quotaPerUnit
}

/** The presets of the seeds as amounts, without those that are too small to be ordered. */
export function presetAmounts(unit: TopUpUnit): readonly number[] {
  const amounts = QUOTA_PRESETS.map((quota) =>
    unit.isDollars ? Math.round(quota / unit.quotaPerUnit) : quota,
  )
  return [...new Set(amounts)].filter((amount) => amount >= leastAmount(unit))
}

/** The quota credited for an amount. */
export function quotaOf(amount: number, { isDollars, quotaPerUnit }: TopUpUnit): number {
  return isDollars ? amount * quotaPerUnit : amount
}
