import { withThousandsApart } from '../core/thousands.ts'

/** How amounts are shown: in currency (quota divided by QuotaPerUnit) or in raw units of account. */
export type QuotaUnit = 'currency' | 'quota'

/** Quota of one US dollar unless the option QuotaPerUnit says otherwise (seeds, section 9). */
export const DEFAULT_QUOTA_PER_UNIT = 500_000

/** Digits after the point that show every single unit of quota at 500,000 a dollar. */
const EXACT_DIGITS = 6
/** Digits after the point that everybody reads; the rest of an amount from one dollar on stands back. */
const HEAD_DIGITS = 2

/** A balance is rounded down, because it must never look larger than it is; any other amount to the nearest. */
export type MoneyKind = 'balance' | 'amount'

/** An amount in two parts: what is read first, and the digits that make it exact. */
export interface MoneyText {
  readonly head: string
  /** Empty when it would be zeros only. */
  readonly tail: string
}

/**
 * An amount as people read it. Currency has all its digits: `$199.99` and `7166`; below one dollar all are in the head.
 * Raw quota has k, M, B from 1e4, 1e6, 1e9 and one decimal (seeds, section 1).
 */
export function moneyText(
  quota: number,
  unit: QuotaUnit,
  quotaPerUnit: number,
  kind: MoneyKind = 'amount',
): MoneyText {
  if (unit === 'quota') return { head: abbreviate(quota, kind), tail: '' }
  const micros = microsOf(quota, quotaPerUnit, kind)
  const digits = String(micros < 0n ? -micros : micros).padStart(EXACT_DIGITS + 1, '0')
  const whole = withThousandsApart(digits.slice(0, -EXACT_DIGITS))
  const parts = digits.slice(-EXACT_DIGITS)
  const head = `${micros < 0n ? '−' : ''}$${whole}.${parts.slice(0, HEAD_DIGITS)}`
  const tail = parts.slice(HEAD_DIGITS)
  if (/^0+$/.test(tail)) return { head, tail: '' }
  return whole === '0' ? { head: head + tail, tail: '' } : { head, tail }
}

/** The same as one text. */
export function moneyString(...args: Parameters<typeof moneyText>): string {
  const { head, tail } = moneyText(...args)
  return head + tail
}

/** Millionths of the currency. */
function microsOf(quota: number, quotaPerUnit: number, kind: MoneyKind): bigint {
  // The option QuotaPerUnit may have a fraction; integers of a thousandth keep the division exact.
  const divisor = BigInt(Math.round(quotaPerUnit * 1000))
  const scaled = BigInt(quota) * 1_000_000_000n
  const shifted = kind === 'balance' ? scaled : scaled + divisor / 2n
  const quotient = shifted / divisor
  // BigInt division cuts towards zero; below zero that would be up.
  return shifted < 0n && shifted % divisor !== 0n ? quotient - 1n : quotient
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
export function abbreviate(value: number, kind: MoneyKind = 'amount'): string {
  const size = Math.abs(value)
  if (size >= 1e9) return `${oneDecimal(value / 1e9, kind)}B`
  if (size >= 1e6) return `${oneDecimal(value / 1e6, kind)}M`
  if (size >= 1e4) return `${oneDecimal(value / 1e3, kind)}k`
  return Number.isInteger(value) ? grouped(value, 0) : String(value)
}

/** The same for numbers that were chosen round, as beside an axis or on a button: `500k`, `1.5M`. */
export function abbreviateRound(value: number): string {
  return abbreviate(value).replace('.0', '')
}

function oneDecimal(value: number, kind: MoneyKind): string {
  const tenths = value * 10
  return ((kind === 'balance' ? Math.floor(tenths) : Math.round(tenths)) / 10).toFixed(1)
}

/**
 * Thousands separated by commas, with a fixed number of digits after the point; zero has no sign. Not by `Intl`: the
 * first number format of a page takes 40 ms, four times as long on a phone.
 */
export function grouped(value: number, digits: number): string {
  return withThousandsApart(value.toFixed(digits).replace(/^-(?=[0.]+$)/, ''))
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

/** A change in percent to one decimal with its sign, which is the one that amounts have: `−14.7`, `+3.0`, `0.0`. */
export const signedPercent = (percent: number, language: string): string =>
  percent
    .toLocaleString(language, {
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
      signDisplay: 'exceptZero',
    })
    .replace('-', '−')
