import type { QuotaUnit } from './quota-format.ts'

/** Amounts offered with one click, in quota: 1, 10, 50, 100, 500, 1000 dollars (seeds, section 9). */
export const QUOTA_PRESETS = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000]

/** The text of an amount in its field: digits without separators, in the unit on show. */
export function amountText(quota: number, unit: QuotaUnit, quotaPerUnit: number): string {
  return String(unit === 'quota' ? quota : quota / quotaPerUnit)
}
