import type { EventData } from './event.ts'

/**
 * When a stream's events count as having happened: the running maximum of their `at`. New events are never dated before
 * those that they follow; older ones were dated by clocks that stepped back. As-of questions order by (effective time,
 * position), so that an answer never has an event without those before it (architecture 11.3).
 */
export interface EffectiveTimes {
  /** The effective time of the next event of a stream, unix milliseconds; each stream's events in order. */
  of(event: { readonly stream: string; readonly data: EventData }): number
}

export function effectiveTimes(): EffectiveTimes {
  const latest = new Map<string, number>()
  return {
    of({ stream, data }) {
      const at = Math.max(latest.get(stream) ?? data.at, data.at)
      latest.set(stream, at)
      return at
    },
  }
}
