import type { RecordedEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'

/**
 * Reads a stream backwards from the event at which a decision's state ends. An event that is not found there does not
 * exist: a reader that lacks this event (a node of a cluster that is behind) fails with StoreUnavailable instead of
 * ending early, and an event behind it makes the decision's append conflict.
 */
export async function* readBackFrom(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  head: StreamHead,
): AsyncGenerator<RecordedEvent, void, undefined> {
  if (head.revision === EMPTY_STREAM.revision) return
  let isThere = false
  const options = { direction: 'backwards', from: head.revision } as const
  for await (const event of store.readStream(stream, options)) {
    isThere ||= event.revision === head.revision && event.metadata.hash === head.hash
    if (!isThere) break
    yield event
  }
  if (!isThere) {
    throw new StoreUnavailable(
      `the event log does not show revision ${head.revision} of ${stream}, which was read or appended before`,
      'none',
    )
  }
}
