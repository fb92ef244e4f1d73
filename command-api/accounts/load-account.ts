import { checkHeld, evolveConserving } from '@tollgate/domain/account/conservation.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { type AccountState, unopenedAccount } from '@tollgate/domain/account/state.ts'
import { dataText } from '@tollgate/domain/data-text.ts'
import { LOG_START, type RecordedEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM, type EventStore } from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import { NO_PLACE, RecentCauses, type StreamPlace } from './recent-causes.ts'
import type { LoadedStream } from '../aggregates/write-decided.ts'

/** An account as its stream has it up to one event. Has one owner: `state` and `causes` grow with each append. */
export interface LoadedAccount extends LoadedStream {
  readonly state: AccountState
  /** Events since the balance was last carried forward, that event included. */
  readonly since: EventAmount
  /** Which steps left the newest events. */
  readonly causes: RecentCauses
}

/** How much a number of events take. */
export interface EventAmount {
  readonly events: number
  readonly bytes: number
}

export const NO_EVENTS: EventAmount = { events: 0, bytes: 0 }

/** Bytes of an event besides its data: metadata with two hashes, ids, type. */
const EVENT_FRAME_BYTES = 500

/**
 * Reads backwards to the newest carry-forward, or to the beginning, and folds from there. Fails with InvariantBroken
 * when the events do not add up.
 */
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
  const own = read.filter((event) => !isSetAside(event))
  const state = evolveConserving(unopenedAccount(), own)
  checkHeld(state)
  let bytes = 0
  let at = 0
  const causes = causesBefore(read[0])
  for (const event of read) {
    causes.note(event, event)
    at = Math.max(at, event.data.at)
    bytes += bytesOf(event)
  }
  const newest = read.at(-1)
  if (newest === undefined) {
    return { state, head: EMPTY_STREAM, position: LOG_START, at, since: NO_EVENTS, causes }
  }
  return {
    state,
    head: { revision: newest.revision, hash: newest.metadata.hash },
    position: newest.position,
    at,
    since: { events: read.length, bytes },
    causes,
  }
}

/** The causes of the events before the first one that was read, as far as that one tells them. */
function causesBefore(first: (RecordedEvent & AccountEvent) | undefined): RecentCauses {
  if (first === undefined || first.revision === 0) return new RecentCauses(NO_PLACE)
  // Everything that was not read stands here at the latest.
  const unread: StreamPlace = { revision: first.revision - 1, position: first.position - 1 }
  const carried = first.type === 'BalanceCarriedForward' ? first.data.causes : null
  if (carried === null) return new RecentCauses(unread)
  const { after, fingerprints } = carried
  const isAllKnown = after === NO_PLACE.revision
  const knownBehind = isAllKnown ? NO_PLACE : { ...unread, revision: after }
  return new RecentCauses(knownBehind, fingerprints, unread)
}

/** The approximate size of an event in the log, in bytes. */
export const bytesOf = (event: AccountEvent): number =>
  Buffer.byteLength(dataText(event.data)) + EVENT_FRAME_BYTES
