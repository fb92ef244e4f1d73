import type { RecordedEvent } from '@tollgate/domain/event.ts'
import {
  type EventStore,
  RevisionConflict,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import type { LogWatch } from './log-watch.ts'

/** The log for claims to it: appends go to the log that was compared, whichever database has it. */
export const comparedStore = (store: EventStore, watch: LogWatch): EventStore => ({
  ...store,
  async append(...args) {
    await watch.clear()
    return store.append(...args)
  },
})

/**
 * The log with every event that passes noted by the watch. While the log is another than before, it allows no append
 * and no read: nothing is decided, and no read model fed, by another log. A sign of another log (a lost connection, a
 * stream that is shorter than it was, an append at a position that was taken before) has it compared before the next
 * append or read.
 */
export function watchedStore<Store extends EventStore>(store: Store, watch: LogWatch): Store {
  const see = (event: RecordedEvent): RecordedEvent => {
    watch.note({ ...event, hash: event.metadata.hash })
    return event
  }
  async function* readStream(
    ...args: Parameters<EventStore['readStream']>
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    await watch.clear()
    for await (const event of store.readStream(...args)) yield see(event)
  }
  async function* subscribeAll(
    ...[after, filter, signal]: Parameters<EventStore['subscribeAll']>
  ): ReturnType<EventStore['subscribeAll']> & AsyncGenerator {
    let at = after
    while (!signal.aborted) {
      await watch.cleared(signal)
      for await (const batch of store.subscribeAll(at, filter, signal)) {
        // Events read since the log became suspect are read again.
        if (!watch.isClear()) break
        const newest = batch.events.at(-1)
        if (newest !== undefined) see(newest)
        at = Math.max(at, batch.position)
        yield batch
      }
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
        watch.know({ stream, ...head, position })
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
    async newestAt(position) {
      await watch.clear()
      return store.newestAt(position)
    },
    async readAll(...args) {
      await watch.clear()
      const events = await store.readAll(...args)
      const newest = events.at(-1)
      if (newest !== undefined) see(newest)
      return events
    },
  }
  // The adapters' further methods are those of `store`.
  return watched as Store
}
