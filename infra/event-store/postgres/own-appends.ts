import type { Position } from '@tollgate/domain/event.ts'
import type { StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import type { ChainedAppend } from '../chain.ts'

/** Appends that are remembered: seconds of a busy log, while followers look every few milliseconds. */
const APPENDS_MAX = 2_000

/** The newest appends of this process, as far as no other process has appended between them. */
export interface OwnAppends {
  /** Takes note of an append that is stored up to a position. */
  note(append: Pick<ChainedAppend, 'stream' | 'events'>, position: Position): void
  /**
   * How far the log is known to hold nothing that a filter lets through, from a position on; null when that is not known,
   * or something is there.
   */
  searchedUpTo(after: Position, filter: StreamFilter): Position | null
}

/** So that followers that care for a few events need not ask the database about each charge that goes by. */
export function ownAppends(): OwnAppends {
  let appends: Noted[] = []
  /** Every event behind this position, up to the last one of `appends`, is known. */
  let knownBehind: Position = Infinity
  const end = (): Position => appends.at(-1)?.last ?? -Infinity

  return {
    note({ stream, events }, last) {
      const before = last - events.length
      if (before !== end()) {
        appends = []
        knownBehind = before
      }
      appends.push({ stream, types: events.map(({ type }) => type), last })
      // Half at a time: taking one out of the front for each that comes would move all of them.
      if (appends.length < 2 * APPENDS_MAX) return
      knownBehind = appends[APPENDS_MAX - 1]?.last ?? Infinity
      appends = appends.slice(APPENDS_MAX)
    },
    searchedUpTo(after, filter) {
      if (after < knownBehind || after >= end()) return null
      for (let index = appends.length - 1; index >= 0; index -= 1) {
        const append = appends[index]
        if (append === undefined || append.last <= after) break
        if (letsThrough(filter, append)) return null
      }
      return end()
    },
  }
}

interface Noted {
  readonly stream: string
  readonly types: readonly string[]
  /** Position of its last event. */
  readonly last: Position
}

function letsThrough(filter: StreamFilter, { stream, types }: Noted): boolean {
  if (filter === 'all') return true
  const { streamPrefixes, exceptTypes = [] } = filter
  return (
    streamPrefixes.some((prefix) => stream.startsWith(prefix)) &&
    types.some((type) => !exceptTypes.includes(type))
  )
}
