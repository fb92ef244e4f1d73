import type { Position, RecordedEvent } from '@tollgate/domain/event.ts'
import {
  StoreUnavailable,
  type StreamFilter,
  type SubscriptionBatch,
} from '@tollgate/domain/ports/event-store.ts'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { pause } from '../../time/pause.ts'
import type { StoreLogger } from '../store-logger.ts'
import type { WakeUp } from './wake-up.ts'

/** Events per batch: enough to fill a bulk insert, little enough to hold in memory for every subscriber. */
const BATCH_EVENTS_MAX = 1_000
/** An idle log is read as soon as it grows; one that never rests at most so often, in larger steps. */
const GATHER_MS = 20

/** The part of the store that a subscription needs. */
export interface LogReader {
  /** Looks through the log after a position until `limit` events were found, or as far as one look goes. */
  readUpToHead(after: Position, filter: StreamFilter, limit: number): Promise<LookedThrough>
}

/** The result of one look at the log. */
export interface LookedThrough {
  readonly events: readonly RecordedEvent[]
  /** Everything up to here was looked at. */
  readonly searched: Position
  /** Where the log ended at that moment. */
  readonly head: Position
}

/** How a log is followed. */
export interface LogFollowing {
  readonly reader: LogReader
  readonly wakeUp: WakeUp
  readonly logger: StoreLogger
  readonly pollMs: number
}

/** See EventStore.subscribeAll. Reads again when a notification says that the log has grown, at the latest after `pollMs`. */
export async function* followLog(
  { reader, wakeUp, logger, pollMs }: LogFollowing,
  after: Position,
  filter: StreamFilter,
  signal: AbortSignal,
): AsyncGenerator<SubscriptionBatch, void, undefined> {
  const listener = wakeUp.listen()
  let position = after
  let wasCaughtUp = false
  let failures = 0
  try {
    while (!signal.aborted) {
      listener.forget()
      let batch: SubscriptionBatch
      try {
        batch = await readBatch(reader, position, filter)
        failures = 0
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        failures += 1
        logger.warn(
          { error: error.message, position },
          'a subscription cannot read, it tries again',
        )
        await pause(backOffMs(failures), signal)
        continue
      }
      const isNews = batch.position > position || batch.caughtUp !== wasCaughtUp
      const gathered = batch.caughtUp ? pause(GATHER_MS, signal) : null
      position = batch.position
      wasCaughtUp = batch.caughtUp
      if (isNews && !signal.aborted) yield batch
      if (batch.caughtUp) await listener.beyond(position, pollMs, signal)
      await gathered
    }
  } finally {
    listener.close()
  }
}

async function readBatch(
  reader: LogReader,
  after: Position,
  filter: StreamFilter,
): Promise<SubscriptionBatch> {
  const { events, searched, head } = await reader.readUpToHead(after, filter, BATCH_EVENTS_MAX)
  return { events, position: searched, caughtUp: searched >= head }
}
