import { isAccountEvent } from '@tollgate/domain/account/event-types.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import { unopenedAccount } from '@tollgate/domain/account/state.ts'
import { accountStream, type Position, type RecordedEvent } from '@tollgate/domain/event.ts'
import { partsOfHold } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'

/** A hold with quota left at a position. */
export interface OpenHold {
  /** Position of the event that opened it, and when that was, unix milliseconds. */
  readonly position: Position
  readonly since: number
  /** Null for the playground. */
  readonly tokenId: number | null
  readonly remaining: number
}

type AccountRecord = RecordedEvent & AccountEvent

/**
 * The holds of an account that had quota left after one of its events, oldest first, from the log itself: no read model
 * keeps holds that have ended. Reads back to the newest carry-forward, as loading an account does. `position` −1 = before
 * the first event. Fails with StoreUnavailable.
 */
export async function openHoldsAt(
  store: Pick<EventStore, 'readStream' | 'newestAt'>,
  account: number,
  position: Position,
): Promise<readonly OpenHold[]> {
  const stream = accountStream(account)
  const last = position < 0 ? null : await store.newestAt(position)
  if (last?.stream !== stream) return []
  const read: AccountRecord[] = []
  for await (const event of store.readStream(stream, {
    direction: 'backwards',
    from: last.revision,
  })) {
    if (isAccountEvent(event)) read.push(event)
    if (event.type === 'BalanceCarriedForward') break
  }
  const { holds } = read.toReversed().reduce(evolve, unopenedAccount())
  const openings = new Map(read.map((event) => [event.revision, event]))
  const open: OpenHold[] = []
  for (const [hold, { token, remaining }] of holds) {
    if (remaining === 0) continue
    const { revision } = partsOfHold(hold)
    const opening = openings.get(revision) ?? (await eventAt(store, stream, revision))
    open.push({ position: opening.position, since: opening.data.at, tokenId: token, remaining })
  }
  return open.toSorted((one, other) => one.position - other.position)
}

/** An event from before the balance was carried forward. */
async function eventAt(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  revision: number,
): Promise<AccountRecord> {
  for await (const event of store.readStream(stream, { from: revision, limit: 1 })) {
    if (isAccountEvent(event)) return event
  }
  throw new TypeError(`stream ${stream} has no event at revision ${revision} that opened a hold`)
}
