import type { NewEvent } from '@tollgate/domain/event.ts'
import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  type AppendedEvents,
  type EventStore,
  RevisionConflict,
  type StreamHead,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import type { RetryLog } from './retry-log.ts'

const AGAIN: BackOff = { firstMs: 20, mostMs: 1_000 }

/**
 * Appends until the outcome is known: the very same events again at the same place after a timeout or a lost
 * connection (architecture 6, rule 2). Answers null when something else stands there: read forward and decide again.
 * `isStopping` ends the attempts with StoreUnavailable.
 */
export async function appendUntilKnown(
  store: Pick<EventStore, 'append'>,
  clock: Pick<Clock, 'sleep'>,
  stream: string,
  events: readonly NewEvent[],
  head: StreamHead,
  isStopping: () => boolean,
  log: Pick<RetryLog, 'begin' | 'end'> = SILENT,
): Promise<AppendedEvents | null> {
  let failures = 0
  try {
    for (;;) {
      try {
        return await store.append(stream, events, head)
      } catch (error) {
        if (error instanceof RevisionConflict) return null
        if (!(error instanceof StoreUnavailable) || isStopping()) throw error
        if (++failures === 1) log.begin(stream, error)
        await clock.sleep(backOffMs(failures, AGAIN))
      }
    }
  } finally {
    if (failures > 0) log.end()
  }
}

/** Logs nothing: the caller reports what failed. */
const SILENT: Pick<RetryLog, 'begin' | 'end'> = { begin() {}, end() {} }
