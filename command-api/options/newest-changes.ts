import { type RecordedEvent, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { isSettingsEvent } from '@tollgate/domain/settings/events.ts'
import { type OptionText, optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'

/** A change of an option, and the event that made it. */
export interface OptionChangeInEvent {
  readonly event: RecordedEvent
  readonly change: OptionText
}

/**
 * Reads the newest change of every option that was ever changed, newest first. The first call reads the whole stream;
 * each later one reads the events since, so that a long history costs once.
 */
export function newestChanges(
  store: Pick<EventStore, 'readStream'>,
): () => Promise<readonly OptionChangeInEvent[]> {
  const newest = new Map<string, OptionChangeInEvent>()
  let next = 0
  return async () => {
    for await (const event of store.readStream(SETTINGS_STREAM, { from: next })) {
      // Another call may have read it meanwhile.
      if (event.revision < next) continue
      next = event.revision + 1
      if (!isSettingsEvent(event)) continue
      for (const change of optionChangesIn(event)) newest.set(change.key, { event, change })
    }
    return [...newest.values()].toSorted((a, b) => b.event.revision - a.event.revision)
  }
}
