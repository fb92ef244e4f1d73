/** The p-th percentile (0-100) of samples in any order, by the nearest rank; NaN without samples. */
export function percentile(samples: readonly number[], p: number): number {
  const ordered = samples.toSorted((a, b) => a - b)
  const rank = Math.max(0, Math.ceil((p / 100) * ordered.length) - 1)
  return ordered[rank] ?? Number.NaN
}
