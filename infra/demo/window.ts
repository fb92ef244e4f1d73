/**
 * Requests of an account that are under way together lie no farther apart than this in the past: its events are dated in
 * the order in which they are decided, never back, so what comes late takes the date of what came first.
 */
export const WINDOW_MS = 120_000

/**
 * Lets requests in, which ask in the order of their times: each when none that is much older is under way. Answers how a
 * request leaves.
 */
export function openWindow(): (at: number) => Promise<() => void> {
  const underWay = new Set<{ readonly at: number; readonly ended: Promise<void> }>()
  return async (at) => {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const own = { at, ended }
    underWay.add(own)
    // In the order of their times, as they came.
    for (const other of underWay) {
      if (other.at >= at - WINDOW_MS) break
      await other.ended
    }
    return () => {
      underWay.delete(own)
      resolve()
    }
  }
}
