import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { StoredEvent } from './stored-event.ts'

/** An event store that also shows the bytes it keeps, for checking hash chains. Both adapters are one. */
export interface AuditableEventStore extends EventStore {
  /** One stream as stored, forwards from its first event. Fails with StoreUnavailable. */
  readStoredStream(stream: string): AsyncIterable<StoredEvent>
}
