import type { ReplayLine } from '../../parts/replays/replay-queries.ts'

/**
 * What leads from the charged amount to the repriced one: other prices, before rounding, to the nearest quota, and the
 * rest, which rounding and the least charge of 1 make. Both add up to the difference.
 */
export function steps(line: Pick<ReplayLine, 'quota' | 'repriced' | 'exact' | 'exact_repriced'>): {
  readonly prices: number
  readonly rounding: number
} {
  const prices = Math.round(Number(line.exact_repriced) - Number(line.exact))
  return { prices, rounding: line.repriced - line.quota - prices }
}
