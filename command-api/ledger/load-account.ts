import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import { type AccountState, unopenedAccount } from '@tollgate/domain/account/state.ts'
import { LOG_START, type Position, type RecordedEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'

/** An account as its stream has it up to one event. */
export interface LoadedAccount {
  readonly state: AccountState
  readonly head: StreamHead
  /** Of the last event. */
  readonly position: Position
  /** The latest `at` among the events read, unix milliseconds; 0 for none. What is decided next is dated no earlier. */
  readonly at: number
  /** What came since the balance was last carried forward, that event included. */
  readonly since: EventAmount
}

/** How much a number of events take. */
export interface EventAmount {
  readonly events: number
  readonly bytes: number
}

export const NO_EVENTS: EventAmount = { events: 0, bytes: 0 }

/** What an event takes besides its data: metadata with two hashes, ids, type. */
const EVENT_FRAME_BYTES = 500

/** Reads backwards to the newest carry-forward, or to the beginning, and folds from there. */
export async function loadAccount(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
): Promise<LoadedAccount> {
  const read: (RecordedEvent & AccountEvent)[] = []
  for await (const event of store.readStream(stream, { direction: 'backwards' })) {
    read.push(event as RecordedEvent & AccountEvent)
    if (event.type === 'BalanceCarriedForward') break
  }
  read.reverse()
  let state = unopenedAccount()
  let bytes = 0
  let at = 0
  for (const event of read) {
    state = evolve(state, event)
    at = Math.max(at, event.data.at)
    bytes += bytesOf(event)
  }
  const newest = read.at(-1)
  if (newest === undefined) {
    return { state, head: EMPTY_STREAM, position: LOG_START, at, since: NO_EVENTS }
  }
  return {
    state,
    head: { revision: newest.revision, hash: newest.metadata.hash },
    position: newest.position,
    at,
    since: { events: read.length, bytes },
  }
}

/** About what an event takes in the log. */
export const bytesOf = (event: AccountEvent): number =>
  Buffer.byteLength(JSON.stringify(event.data)) + EVENT_FRAME_BYTES
