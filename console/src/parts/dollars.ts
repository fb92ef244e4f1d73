import { withThousandsApart } from '../core/thousands.ts'

/** Digits that a double keeps of a product of decimals. */
const DIGITS = 12
const MILLION = 1_000_000

/** US dollars of a million tokens at a model ratio: a token costs that much quota. */
export function dollarsPerMillion(ratio: number, quotaPerUnit: number): string {
  const dollars = Number(((ratio * MILLION) / quotaPerUnit).toPrecision(DIGITS))
  const [whole = '', places = ''] = String(dollars).split('.')
  return `$${withThousandsApart(whole)}.${places.padEnd(2, '0')}`
}
