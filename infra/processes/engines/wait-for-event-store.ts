import {
  type EventStore,
  StoreUnavailable,
  WriteDenied,
} from '@tollgate/domain/ports/event-store.ts'
import { hostsIn } from '../../event-store/eventstoredb/address.ts'
import { findRefusal } from '../../event-store/eventstoredb/refusal.ts'
import type { Runtime } from '../runtime.ts'

/** Engines that are started together with their users come up within this, elections of a cluster included. */
const PATIENCE_MS = 60_000
const ASK_AGAIN_MS = 500

/** EventStoreDB did not come. */
class EventStoreUnavailable extends Error {
  readonly code = 'EVENT_STORE_UNAVAILABLE'
  readonly retryable = true
  constructor(where: string, cause: Error) {
    super(
      `EventStoreDB at ${where} does not answer (${cause.message}). Start it, or correct EVENTSTORE_URL.`,
      { cause },
    )
    this.name = 'EventStoreUnavailable'
  }
}

/** EventStoreDB is there, and cannot be used as EVENTSTORE_URL has it. */
class EventStoreRefused extends Error {
  readonly code = 'EVENT_STORE_REFUSED'
  readonly retryable = false
  constructor(where: string, refusal: string, cause: Error) {
    super(`EventStoreDB at ${where} cannot be used: ${refusal}. docs/eventstoredb.md says how.`, {
      cause,
    })
    this.name = 'EventStoreRefused'
  }
}

/**
 * Asks EventStoreDB where its log ends, again and again while it is not there yet. Fails with EventStoreUnavailable
 * when `patienceMs` have passed, and at once with EventStoreRefused where waiting does not help.
 */
export async function waitForEventStore(
  connectionString: string,
  store: Pick<EventStore, 'headPosition'>,
  { clock, logger, stopping }: Pick<Runtime, 'clock' | 'logger' | 'stopping'>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const until = clock.monotonicMs() + patienceMs
  for (let isTold = false; ; isTold = true) {
    try {
      await store.headPosition()
      return
    } catch (error) {
      const failure = await eventStoreFailure(connectionString, error)
      if (!(failure instanceof EventStoreUnavailable)) throw failure
      if (clock.monotonicMs() >= until) throw failure
      if (!isTold) logger.warn({ reason: failure.message }, 'waiting for EventStoreDB')
      await clock.sleep(ASK_AGAIN_MS, stopping)
      stopping?.throwIfAborted()
    }
  }
}

/** The failure of a call of the store, as an operator can act upon it. */
export async function eventStoreFailure(
  connectionString: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof StoreUnavailable) || error instanceof WriteDenied) return error
  const where = hostsIn(connectionString)
  const refusal = await findRefusal(connectionString, error)
  return refusal === null
    ? new EventStoreUnavailable(where, error)
    : new EventStoreRefused(where, refusal, error)
}
