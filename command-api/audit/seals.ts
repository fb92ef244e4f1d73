import type { Position, RecordedEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import { type LedgerSealed, SEALS_STREAM } from '@tollgate/domain/seal/events.ts'

/** A seal as it stands in the log. */
export interface Seal {
  readonly data: LedgerSealed['data']
  readonly head: StreamHead
  /** Of its own event. */
  readonly position: Position
}

/** The newest seal and the end of the stream of seals; null and the empty end before the first. */
export async function lastSeal(
  store: EventStore,
): Promise<{ readonly seal: Seal | null; readonly head: StreamHead }> {
  // Nearly always the newest event is a seal; others may have been set aside behind it.
  for (const limit of [1, Infinity]) {
    let head = EMPTY_STREAM
    const backwards = { direction: 'backwards', limit } as const
    for await (const event of store.readStream(SEALS_STREAM, backwards)) {
      if (head === EMPTY_STREAM) head = headOf(event)
      if (!isSetAside(event)) return { seal: sealOf(event), head }
    }
    if (head === EMPTY_STREAM) break
  }
  return { seal: null, head: EMPTY_STREAM }
}

const sealOf = (event: RecordedEvent): Seal => ({
  data: event.data as LedgerSealed['data'],
  head: headOf(event),
  position: event.position,
})

const headOf = ({ revision, metadata }: RecordedEvent): StreamHead => ({
  revision,
  hash: metadata.hash,
})

/**
 * What pins the whole ledger up to a position: who keeps it elsewhere (on paper, with a notary, in another system) can
 * prove later that nothing up to there was changed. In the form that `npm run audit -- head` prints.
 */
export interface LedgerHead {
  /** Everything up to here is covered. */
  readonly position: number
  /** Number of the seal, from 1. */
  readonly seal: number
  readonly root: string
  /** Of the seal's event. */
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
