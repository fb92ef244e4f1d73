import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { ForeignEvent } from '@tollgate/domain/ports/event-store.ts'

/**
 * The events of one stream as long as each follows the one before it by its hash: what another client has copied from an
 * event of Tollgate does not. Backwards, an event comes when the one before it was read, but for the last one of a read
 * with a limit. Fails with ForeignEvent.
 */
export async function* linkedEvents(
  events: AsyncIterable<RecordedEvent>,
  direction: 'forwards' | 'backwards',
): AsyncGenerator<RecordedEvent, void, undefined> {
  let beside: RecordedEvent | null = null
  for await (const event of events) {
    if (direction === 'forwards') {
      refuseUnlinked(event, beside)
      yield event
    } else if (beside !== null) {
      refuseUnlinked(beside, event)
      yield beside
    }
    beside = event
  }
  if (direction === 'forwards' || beside === null) return
  refuseUnlinked(beside, null)
  yield beside
}

/** Null when the event before it was not read, or when there is none. */
function refuseUnlinked(event: RecordedEvent, before: RecordedEvent | null): void {
  const { stream, revision, metadata } = event
  const expected = revision === 0 ? '' : before?.metadata.hash
  if (expected === undefined || metadata.prevHash === expected) return
  throw new ForeignEvent(stream, revision, 'it does not follow the event before it')
}
