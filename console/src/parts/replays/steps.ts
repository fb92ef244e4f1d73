import type { ReplayLine } from './replay-queries.ts'

/** The steps of a repricing, in quota: both add up from the charged amount to the repriced one. */
export interface RepricingSteps {
  readonly charged: number
  /** Other prices, before rounding, to the nearest quota. */
  readonly prices: number
  /** The rest, which rounding and the least charge of 1 make. */
  readonly rounding: number
  readonly repriced: number
}

/** The steps of a line, or of many together. Exact: the sums before rounding are decimal texts of any length. */
export function repricingSteps(
  line: Pick<ReplayLine, 'quota' | 'repriced' | 'exact' | 'exact_repriced'>,
): RepricingSteps {
  const { quota: charged, repriced } = line
  const prices = nearestDifference(line.exact_repriced, line.exact)
  return { charged, prices, rounding: repriced - charged - prices, repriced }
}

/** Where a bar of the waterfall begins and ends, in quota. */
export interface WaterfallBar {
  readonly step: keyof RepricingSteps
  readonly from: number
  readonly to: number
  readonly value: number
}

/** The bars of a waterfall: totals stand on zero, steps where the one before ends. */
export function waterfallBars(steps: RepricingSteps): readonly WaterfallBar[] {
  const { charged, prices, rounding, repriced } = steps
  return [
    { step: 'charged', from: 0, to: charged, value: charged },
    { step: 'prices', from: charged, to: charged + prices, value: prices },
    { step: 'rounding', from: charged + prices, to: repriced, value: rounding },
    { step: 'repriced', from: 0, to: repriced, value: repriced },
  ]
}

/** Names that pay more and names that pay less, the largest change first, at most so many of both. */
export function byImpact<Line extends Pick<ReplayLine, 'quota' | 'repriced'>>(
  lines: readonly Line[],
  most: number,
): { readonly more: readonly Line[]; readonly less: readonly Line[] } {
  const change = (line: Line): number => line.repriced - line.quota
  const sorted = lines.toSorted((a, b) => Math.abs(change(b)) - Math.abs(change(a)))
  return {
    more: sorted.filter((line) => change(line) > 0).slice(0, most),
    less: sorted.filter((line) => change(line) < 0).slice(0, most),
  }
}

/** One decimal text less another, to the nearest whole number, halves away from zero. */
function nearestDifference(one: string, other: string): number {
  const digits = Math.max(decimals(one), decimals(other))
  const scale = 10n ** BigInt(digits)
  const difference = scaled(one, digits) - scaled(other, digits)
  const size = difference < 0n ? -difference : difference
  const whole = (2n * size + scale) / (2n * scale)
  return Number(difference < 0n ? -whole : whole)
}

const decimals = (text: string): number => text.split('.')[1]?.length ?? 0

function scaled(text: string, digits: number): bigint {
  const [whole = '0', rest = ''] = text.split('.')
  return BigInt(whole + rest.padEnd(digits, '0'))
}
