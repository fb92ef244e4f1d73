/**
 * Times counted in 64 slots whose bounds grow by a third of an octave, so that the same times give the same percentiles
 * in whatever order they come, and sums of counts are counts of sums. The last slot takes all beyond 35 minutes.
 */
export const SLOTS = 64

/** Bucket n holds the milliseconds from BOUNDS[n] on, below BOUNDS[n + 1]. */
const BOUNDS: readonly number[] = Array.from({ length: SLOTS }, (_, copy) =>
  copy === 0 ? 0 : Math.ceil(2 ** ((copy - 1) / 3)),
)

export function slotOf(ms: number): number {
  let low = 0
  let high = SLOTS - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((BOUNDS[middle] ?? 0) <= ms) low = middle
    else high = middle - 1
  }
  return low
}

/** The time, in milliseconds, that a share of all (0.5, 0.95) did not exceed: the end of its slot. Null without any. */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((all, count) => all + count, 0)
  if (total === 0) return null
  let seen = 0
  for (const [copy, count] of counts.entries()) {
    seen += count
    if (seen >= total * share) return (BOUNDS[copy + 1] ?? (BOUNDS[copy] ?? 0) + 1) - 1
  }
  return null
}
