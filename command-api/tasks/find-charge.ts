import type { UsageCharged, UsageRefunded } from '@tollgate/domain/account/events.ts'
import { accountStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { partsOfHold } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { TaskCharge } from '@tollgate/domain/task/events.ts'

/** What the account's stream says of a task's charge. */
export interface FoundCharge {
  readonly charged: UsageCharged['data']
  readonly isRefunded: boolean
}

/**
 * Looks for a charge from the opening of its hold on, before which it cannot stand (architecture 6, rule 11: a refund
 * waits for its charge). Null when it is not there, or not yet.
 */
export async function findCharge(
  store: Pick<EventStore, 'readStream'>,
  { request, hold }: TaskCharge,
): Promise<FoundCharge | null> {
  const { account, revision } = partsOfHold(hold)
  let charged: UsageCharged['data'] | null = null
  for await (const recorded of store.readStream(accountStream(account), { from: revision })) {
    const event = recorded as RecordedEvent & (UsageCharged | UsageRefunded)
    if (event.type === 'UsageCharged' && event.data.request.id === request) charged = event.data
    if (event.type === 'UsageRefunded' && event.data.request === request && charged !== null) {
      return { charged, isRefunded: true }
    }
  }
  return charged === null ? null : { charged, isRefunded: false }
}
