/** How amounts are shown: in currency (quota divided by QuotaPerUnit) or in raw units of account. */
export type QuotaUnit = 'currency' | 'quota'

/** Quota of one US dollar unless the option QuotaPerUnit says otherwise (seeds, section 9). */
export const DEFAULT_QUOTA_PER_UNIT = 500_000

/** Digits after the point that show every single unit of quota at 500,000 a dollar. */
const EXACT_DIGITS = 6

/**
 * A short form for cards and tags: `$12.34`, or raw with k, M, B from 1e4, 1e6, 1e9 and one decimal (seeds, section 1).
 * An amount that would round to nothing keeps the digits that show it is there.
 */
export function shortQuota(quota: number, unit: QuotaUnit, quotaPerUnit: number): string {
  if (unit === 'quota') return abbreviate(quota)
  const value = quota / quotaPerUnit
  if (value !== 0 && Math.abs(value) < 0.01)
    return `${sign(value)}$${Math.abs(value).toFixed(EXACT_DIGITS)}`
  return `${sign(value)}$${grouped(Math.abs(value), 2)}`
}

/** The amount with all its digits and without its unit, for a column whose header names the unit. */
export function columnQuota(quota: number, unit: QuotaUnit, quotaPerUnit: number): string {
  return unit === 'quota' ? grouped(quota, 0) : grouped(quota / quotaPerUnit, EXACT_DIGITS)
}

/** Both units with all digits, for the hint that every amount carries. */
export function exactQuota(
  quota: number,
  quotaPerUnit: number,
): { currency: string; quota: string } {
  const value = quota / quotaPerUnit
  return {
    currency: `${sign(value)}$${grouped(Math.abs(value), EXACT_DIGITS)}`,
    quota: grouped(quota, 0),
  }
}

/** k from 1e4, M from 1e6, B from 1e9, one decimal; smaller numbers as they are. */
export function abbreviate(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)}B`
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)}M`
  if (size >= 1e4) return `${(value / 1e3).toFixed(1)}k`
  return String(value)
}

/** Thousands separated by commas, with a fixed number of digits after the point. */
export function grouped(value: number, digits: number): string {
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

/**
 * Quota from what a person typed in a unit: integers for raw quota, up to six decimals for currency. Null when the
 * text is not an amount the ledger can hold.
 */
export function parseQuota(text: string, unit: QuotaUnit, quotaPerUnit: number): number | null {
  const cleaned = text.replaceAll(',', '').trim()
  const pattern = unit === 'quota' ? /^-?\d+$/ : /^-?\d+(\.\d{1,6})?$/
  if (!pattern.test(cleaned)) return null
  const quota = unit === 'quota' ? Number(cleaned) : Math.round(Number(cleaned) * quotaPerUnit)
  return Number.isSafeInteger(quota) ? quota : null
}

function sign(value: number): string {
  return value < 0 ? '−' : ''
}
