import type { QuotaHeld, UsageCharged, UsageRefunded } from '@tollgate/domain/account/events.ts'
import { accountStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { partsOfHold } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { TaskCharge } from '@tollgate/domain/task/events.ts'

/** A task's charge as the account's stream has it. */
export interface FoundCharge {
  readonly charged: UsageCharged['data']
  readonly isRefunded: boolean
}

/** By how much the clocks of two machines may differ. */
const CLOCK_SKEW_MS = 600_000

/**
 * Looks for a charge (architecture 6, rule 11: a refund waits for it). Null when it is not there, or not yet. Reads
 * backwards, as a charge is seldom old when it is looked for, and stops at the opening of its hold, before which it
 * cannot stand; a busy account's hold may be days old, so also at `since` (unix milliseconds) where the caller knows a
 * moment before which it was not charged.
 */
export async function findCharge(
  store: Pick<EventStore, 'readStream'>,
  { request, hold }: TaskCharge,
  since = 0,
): Promise<FoundCharge | null> {
  const { account } = partsOfHold(hold)
  let isRefunded = false
  for await (const recorded of store.readStream(accountStream(account), BACKWARDS)) {
    if (recorded.recordedAt < since - CLOCK_SKEW_MS) return null
    const event = recorded as RecordedEvent & (QuotaHeld | UsageCharged | UsageRefunded)
    // The revision in its name would not do: in another timeline the stream had another length.
    if (event.type === 'QuotaHeld' && event.data.hold === hold) return null
    if (event.type === 'UsageRefunded' && event.data.request === request) isRefunded = true
    if (event.type === 'UsageCharged' && event.data.request.id === request) {
      return { charged: event.data, isRefunded }
    }
  }
  return null
}

const BACKWARDS = { direction: 'backwards' } as const
