import { LOG_START, type Position, type RecordedEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import { type LedgerSealed, SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import type { LoadedStream } from '../aggregates/write-decided.ts'

/** A seal as it stands in the log. */
export interface Seal {
  readonly data: LedgerSealed['data']
  readonly head: StreamHead
  /** Position of the seal's own event. */
  readonly position: Position
}

export interface SealStream extends LoadedStream {
  /** The newest; null before the first. */
  readonly seal: Seal | null
}

/** The stream of seals as far as the next one has to know it. */
export async function lastSeal(store: Pick<EventStore, 'readStream'>): Promise<SealStream> {
  // Nearly always the newest event is a seal; others may have been set aside behind it.
  for (const limit of [1, Infinity]) {
    let end: Pick<Seal, 'head' | 'position'> | null = null
    const backwards = { direction: 'backwards', limit } as const
    for await (const event of store.readStream(SEALS_STREAM, backwards)) {
      const place = placeOf(event)
      end ??= place
      if (isSetAside(event)) continue
      const data = event.data as LedgerSealed['data']
      return { ...end, at: data.at, seal: { ...place, data } }
    }
    if (end === null) break
  }
  return { head: EMPTY_STREAM, position: LOG_START, at: 0, seal: null }
}

const placeOf = ({ revision, metadata, position }: RecordedEvent) => ({
  head: { revision, hash: metadata.hash },
  position,
})

/**
 * The figures that pin the whole ledger up to a position. An operator who keeps them elsewhere (on paper, with a
 * notary, in another system) can prove later that nothing up to there was changed. In the form that `npm run audit --
 * head` prints.
 */
export interface LedgerHead {
  /** Everything up to here is covered. */
  readonly position: number
  /** Number of the seal, from 1. */
  readonly seal: number
  readonly root: string
  /** Hash of the seal's event. */
  readonly hash: string
  /** When it was sealed, ISO 8601. */
  readonly at: string
}

export const headOfSeal = ({ data, head }: Seal): LedgerHead => ({
  position: data.upTo,
  seal: data.number,
  root: data.root,
  hash: head.hash,
  at: new Date(data.at).toISOString(),
})
