import type { NewEvent, RecordedEvent } from '@tollgate/domain/event.ts'
import type { SubscriptionBatch } from '@tollgate/domain/ports/event-store.ts'
import { schemaVersionOf } from '@tollgate/domain/schema-versions.ts'

/** A settlement-like event with an amount to tell it by. */
export function newEvent(amount: number, data: Readonly<Record<string, unknown>> = {}): NewEvent {
  return {
    id: crypto.randomUUID(),
    type: 'Counted',
    data: { at: 1_700_000_000_000, amount, ...data } as NewEvent['data'],
    metadata: {
      actor: 'relay:r1',
      correlationId: 'request-1',
      causationId: null,
      schemaVersion: schemaVersionOf('Counted'),
    },
  }
}

export const newEvents = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, amount) => newEvent(amount))

export const amountOf = (event: RecordedEvent): number =>
  (event.data as unknown as { amount: number }).amount

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Takes batches until `isEnough` says so, then stops. The test's own deadline bounds the wait. */
export async function takeUntil(
  batches: AsyncIterable<SubscriptionBatch>,
  isEnough: (events: readonly RecordedEvent[], batch: SubscriptionBatch) => boolean,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for await (const batch of batches) {
    events.push(...batch.events)
    if (isEnough(events, batch)) break
  }
  return events
}
