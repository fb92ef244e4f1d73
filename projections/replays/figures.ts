import { type Ratio, sum, ZERO } from '@tollgate/domain/pricing/ratio.ts'
import {
  cachedTokens,
  cacheWriteTokens,
  completionTokens,
  promptTokens,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import { SLOTS, slotOf } from './latency.ts'

/** Sums of one row of a result. Quota as whole numbers, exact quota before rounding, times as counts of slots. */
export interface Figures {
  requests: number
  failures: number
  quota: number
  repriced: number
  /** Charges that the chosen book cannot price; in `repriced` as they were charged. */
  unpriced: number
  exact: Ratio
  exactRepriced: Ratio
  promptTokens: number
  completionTokens: number
  cachedTokens: number
  cacheWriteTokens: number
  /** Times of whole requests, by slot; null before the first one. */
  latency: number[] | null
  firstByte: number[] | null
}

export interface CountedCharge {
  readonly quota: number
  readonly repriced: number
  readonly isUnpriced: boolean
  readonly exact: Ratio
  readonly exactRepriced: Ratio
  readonly usage: Usage
  readonly durationMs: number
  readonly firstByteMs: number | null
}

export const noFigures = (): Figures => ({
  requests: 0,
  failures: 0,
  quota: 0,
  repriced: 0,
  unpriced: 0,
  exact: ZERO,
  exactRepriced: ZERO,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  latency: null,
  firstByte: null,
})

export function addCharge(figures: Figures, charge: CountedCharge): void {
  const { usage, firstByteMs } = charge
  figures.requests += 1
  figures.quota += charge.quota
  figures.repriced += charge.repriced
  if (charge.isUnpriced) figures.unpriced += 1
  if (charge.exact !== ZERO) figures.exact = sum(figures.exact, charge.exact)
  if (charge.exactRepriced !== ZERO) {
    figures.exactRepriced = sum(figures.exactRepriced, charge.exactRepriced)
  }
  figures.promptTokens += promptTokens(usage)
  figures.completionTokens += completionTokens(usage)
  figures.cachedTokens += cachedTokens(usage)
  figures.cacheWriteTokens += cacheWriteTokens(usage)
  figures.latency = counted(figures.latency, charge.durationMs)
  if (firstByteMs !== null) figures.firstByte = counted(figures.firstByte, firstByteMs)
}

function counted(counts: number[] | null, ms: number): number[] {
  const all = counts ?? Array.from({ length: SLOTS }, () => 0)
  const copy = slotOf(ms)
  all[copy] = (all[copy] ?? 0) + 1
  return all
}
