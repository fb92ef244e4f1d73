import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { type EventStore, StreamUnusable } from '@tollgate/domain/ports/event-store.ts'

/**
 * Tollgate's events of a stream. A stream that another client has written to or cut hides nothing of the others: it is
 * reported by its name beside the figures. Fails with StoreUnavailable.
 */
export async function* ownEvents(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
): AsyncGenerator<RecordedEvent, void, undefined> {
  try {
    yield* store.readStream(stream)
  } catch (error) {
    if (!(error instanceof StreamUnusable)) throw error
  }
}
