import type { DecisionContext } from '@tollgate/domain/decision.ts'
import type { NewEvent, Position, WrittenEvent } from '@tollgate/domain/event.ts'
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

/** How long an append that a store does not answer is retried before it fails. */
const ATTEMPTS_MS = 10_000
const AGAIN: BackOff = { firstMs: 20, mostMs: 1_000 }

/** A stream as far as every decision on it needs to know it. */
export interface LoadedStream {
  readonly head: StreamHead
  /** Position of its last event; LOG_START for none. */
  readonly position: Position
  /** The latest `at` among its events, unix milliseconds; 0 for none. */
  readonly at: number
}

/** The result of a decision. */
export interface DecidedEvents {
  /** None when nothing is to be written. */
  readonly events: readonly NewEvent[]
}

/** How a stream is appended to. */
interface Appending {
  readonly stream: string
  /** How long an append without an answer is retried; 0 = not at all. Default: ten seconds. */
  readonly attemptsMs?: number
  /** Ends the retries, too. */
  readonly isStopping?: () => boolean
  readonly log?: Pick<RetryLog, 'begin' | 'end'> | undefined
}

export interface StreamDecision<
  Loaded extends LoadedStream,
  Decided extends DecidedEvents,
> extends Appending {
  /** Called again after each conflict: then the stream has other events than were loaded before. */
  load(): Promise<Loaded>
  /** Null when the stream turns out to be newer than the loaded state: it is loaded again. */
  decide(loaded: Loaded, context: DecisionContext): Decided | null | Promise<Decided | null>
}

/**
 * The last decision, the state it was made on, and where the stream ends now. Callers keep parts of it only, since it
 * holds everything that was loaded.
 */
export interface Written<Loaded, Decided extends DecidedEvents> extends LoadedStream {
  readonly loaded: Loaded
  readonly decided: Decided
  readonly events: readonly (Decided['events'][number] & WrittenEvent)[]
}

/**
 * The one way into the log: load, decide, append, and all of it again when something else was appended meanwhile.
 * Answers the events as stored, so that no caller reads them back. A decision is dated no earlier than the stream's
 * last event, whatever the clock says: time in a stream never runs back. Fails as `load` and `decide` do, and as the
 * store's `append`.
 */
export async function writeDecided<Loaded extends LoadedStream, Decided extends DecidedEvents>(
  writer: Writer,
  decision: StreamDecision<Loaded, Decided>,
): Promise<Written<Loaded, Decided>> {
  const { stream } = decision
  for (;;) {
    const loaded = await decision.load()
    const context = contextOf(writer.clock, loaded)
    const decided = await decision.decide(loaded, context)
    if (decided === null) continue
    const { head, position, at } = loaded
    if (decided.events.length === 0) return { loaded, decided, head, position, at, events: [] }
    const appended = await appendUntilKnown(writer, decision, decided.events, head)
    if (appended === null) continue
    const events = decided.events.map((event, index) => ({
      ...event,
      stream,
      revision: context.nextRevision + index,
      position: appended.position,
    }))
    const latest = events.reduce((so, { data }) => Math.max(so, data.at), at)
    return { loaded, decided, ...appended, at: latest, events }
  }
}

/** Where decisions are written, and when. */
export interface Writer {
  readonly store: Pick<EventStore, 'append'>
  readonly clock: Clock
}

/**
 * Appends until the outcome is known: the very same events again at the same place after a timeout or a lost
 * connection (architecture 6, rule 2). Answers null when something else stands there.
 */
async function appendUntilKnown(
  { store, clock }: Writer,
  { stream, attemptsMs = ATTEMPTS_MS, isStopping, log }: Appending,
  events: readonly NewEvent[],
  head: StreamHead,
): Promise<AppendedEvents | null> {
  const givenUpAt = clock.monotonicMs() + attemptsMs
  let failures = 0
  try {
    for (;;) {
      try {
        return await store.append(stream, events, head)
      } catch (error) {
        if (error instanceof RevisionConflict) return null
        const isGivenUp = isStopping?.() === true || clock.monotonicMs() >= givenUpAt
        if (!(error instanceof StoreUnavailable) || isGivenUp) throw error
        if (++failures === 1) log?.begin(stream, error)
        await clock.sleep(backOffMs(failures, AGAIN))
      }
    }
  } finally {
    if (failures > 0) log?.end()
  }
}

/** Time and next revision of a decision on a stream as it was loaded. */
export const contextOf = (
  clock: Pick<Clock, 'now'>,
  { head, at }: Pick<LoadedStream, 'head' | 'at'>,
): DecisionContext => ({ at: Math.max(clock.now(), at), nextRevision: head.revision + 1 })
