import type { RecordedEvent } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { BegunWorkflow } from './workflow-table.ts'

/** The event that began a process; null when the log does not have it where it stood. Fails with StoreUnavailable. */
export async function decidingEvent(
  store: Pick<EventStore, 'readStream'>,
  { id, decision }: Pick<BegunWorkflow, 'id' | 'decision'>,
): Promise<RecordedEvent | null> {
  if (decision === null) return null
  const { stream, revision: from } = decision
  for await (const event of store.readStream(stream, { from, limit: 1 })) {
    if (event.id === id) return event
  }
  return null
}
