import type { RecordedEvent } from '@tollgate/domain/event.ts'
import {
  type EventStore,
  RevisionConflict,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import type { LogWatch } from './log-watch.ts'

/**
 * The log with every event that passes noted by the watch, and no append while the log is not what it was. What looks
 * like a log that was put back (a lost connection, a stream that is shorter than it was, an append at a position that
 * was taken before) has it compared before the next append.
 */
export function watchedStore<Store extends EventStore>(store: Store, watch: LogWatch): Store {
  const see = (event: RecordedEvent): RecordedEvent => {
    watch.note({ ...event, hash: event.metadata.hash })
    return event
  }
  async function* readStream(
    ...args: Parameters<EventStore['readStream']>
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    for await (const event of store.readStream(...args)) yield see(event)
  }
  async function* subscribeAll(
    ...args: Parameters<EventStore['subscribeAll']>
  ): ReturnType<EventStore['subscribeAll']> & AsyncGenerator {
    for await (const batch of store.subscribeAll(...args)) {
      const newest = batch.events.at(-1)
      if (newest !== undefined) see(newest)
      yield batch
    }
  }
  const watched: EventStore = {
    ...store,
    readStream,
    subscribeAll,
    async append(stream, events, expected) {
      await watch.clearToAppend()
      const before = watch.position
      try {
        const appended = await store.append(stream, events, expected)
        const { head, position } = appended
        if (position <= before) watch.suspect()
        watch.note({ stream, ...head, position })
        return appended
      } catch (error) {
        const isShorter =
          error instanceof RevisionConflict &&
          error.actual !== null &&
          error.actual < expected.revision
        if (isShorter || error instanceof StoreUnavailable) watch.suspect()
        throw error
      }
    },
    async readAll(...args) {
      const events = await store.readAll(...args)
      const newest = events.at(-1)
      if (newest !== undefined) see(newest)
      return events
    },
  }
  // The adapters' further methods are those of `store`.
  return watched as Store
}
