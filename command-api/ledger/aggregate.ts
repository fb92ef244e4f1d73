import { LRUCache } from 'lru-cache'
import type { Decider, Decision } from '@tollgate/domain/decision.ts'
import type { DomainEvent, Position } from '@tollgate/domain/event.ts'
import { LOG_START } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import { appendUntilKnown } from './append.ts'
import { type CommandCause, newEvents } from './cause.ts'

/** How long a store that does not answer is asked again before the caller is told. */
const ATTEMPTS_MS = 10_000

export type AggregateOutcome<State, Event, Rejection> =
  | {
      readonly status: 'done'
      readonly position: Position
      readonly events: readonly Event[]
      readonly state: State
    }
  | { readonly status: 'rejected'; readonly rejection: Rejection }

export interface AggregateWriter {
  readonly store: EventStore
  readonly clock: Clock
  readonly randomness: Randomness
  /** For streams that are decided on often; left out, each is read as a whole every time. */
  readonly memory?: AggregateMemory
}

/** What streams came to when they were last read, so that only what was appended since has to be. */
export type AggregateMemory = LRUCache<string, LoadedAggregate<unknown>>

export const aggregateMemory = (streamsMax: number): AggregateMemory =>
  new LRUCache({ max: streamsMax })

/** A stream's state, where it ends, the position of its last event (LOG_START for none), and its latest `at` (0 for none). */
export interface LoadedAggregate<State> {
  readonly state: State
  readonly head: StreamHead
  readonly position: Position
  readonly at: number
}

/**
 * Load → decide → append for a channel, a user or the settings, whose streams are too small to keep in memory; after a conflict everything is read and
 * decided again. Fails with StoreUnavailable when the store stays away.
 */
export async function executeOn<State, Command, Event extends DomainEvent, Rejection>(
  writer: AggregateWriter,
  stream: string,
  decider: Decider<State, Command, Event, Rejection>,
  command: Command,
  cause: CommandCause,
): Promise<AggregateOutcome<State, Event, Rejection>> {
  const { store, clock, randomness } = writer
  const givenUpAt = clock.monotonicMs() + ATTEMPTS_MS
  const isTooLate = (): boolean => clock.monotonicMs() > givenUpAt
  for (;;) {
    const loaded = await loadAggregate(store, stream, decider, writer.memory)
    const decision = decideOn(clock, decider, loaded, command)
    if (decision.status === 'rejected') return decision
    const { events } = decision
    const state = events.reduce((before, event) => decider.evolve(before, event), loaded.state)
    const { position } = loaded
    if (events.length === 0) return { status: 'done', position, events, state }
    const written = newEvents(events, cause, randomness)
    const appended = await appendUntilKnown(store, clock, stream, written, loaded.head, isTooLate)
    if (appended === null) continue
    return { status: 'done', position: appended.position, events, state }
  }
}

/**
 * What a command would come to now; nothing is appended. Where the clock is behind the stream's last event it is decided
 * at that event's time: time in a stream never runs back.
 */
export const decideOn = <State, Command, Event, Rejection>(
  clock: Pick<Clock, 'now'>,
  decider: Pick<Decider<State, Command, Event, Rejection>, 'decide'>,
  { state, head, at }: LoadedAggregate<State>,
  command: Command,
): Decision<Event, Rejection> =>
  decider.decide(state, command, {
    at: Math.max(clock.now(), at),
    nextRevision: head.revision + 1,
  })

/**
 * Folds a stream, from what is remembered of it on; a stream that does not exist gives the initial state and LOG_START.
 * A memory serves streams of one decider only.
 */
export async function loadAggregate<State, Event extends DomainEvent>(
  store: EventStore,
  stream: string,
  decider: Pick<Decider<State, never, Event, unknown>, 'initial' | 'evolve'>,
  memory?: AggregateMemory,
): Promise<LoadedAggregate<State>> {
  const known = memory?.get(stream) as LoadedAggregate<State> | undefined
  let { state, head, position, at } = known ?? {
    state: decider.initial,
    head: EMPTY_STREAM,
    position: LOG_START,
    at: 0,
  }
  const behind = { from: head.revision + 1, prevHash: head.hash }
  for await (const event of store.readStream(stream, behind)) {
    if (!isSetAside(event)) {
      state = decider.evolve(state, { type: event.type, data: event.data } as Event)
    }
    head = { revision: event.revision, hash: event.metadata.hash }
    position = event.position
    at = Math.max(at, event.data.at)
  }
  const loaded = { state, head, position, at }
  memory?.set(stream, loaded)
  return loaded
}
