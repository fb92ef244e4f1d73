import { LRUCache } from 'lru-cache'
import type { Decider, Decision } from '@tollgate/domain/decision.ts'
import {
  type DomainEvent,
  LOG_START,
  type Position,
  type RecordedEvent,
  type WrittenEvent,
} from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { EMPTY_STREAM, type EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import { type CommandCause, newEvents } from './cause.ts'
import { contextOf, type LoadedStream, writeDecided } from './write-decided.ts'

export type AggregateOutcome<State, Event, Rejection> =
  | {
      readonly status: 'done'
      readonly position: Position
      /** As they stand in the log, those of the first time for a command that was done before; none when nothing had to change. */
      readonly events: readonly (Event & WrittenEvent)[]
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

/** States of streams as they were last read, so that only events appended since have to be read. */
export type AggregateMemory = LRUCache<string, LoadedAggregate<unknown>>

export const aggregateMemory = (streamsMax: number): AggregateMemory =>
  new LRUCache({ max: streamsMax })

export interface LoadedAggregate<State> extends LoadedStream {
  readonly state: State
}

/** How a command is carried out on a stream. */
export interface AggregateOptions {
  /**
   * The cause's `causationId` is this one command's on the stream: asked for again it is not decided again, and the answer
   * is the first one. Such a stream is read as a whole.
   */
  readonly isOnce?: boolean
}

/**
 * Has a command decided on the stream of a channel, a user, an order, the settings: streams too small to keep in memory.
 * Fails with StoreUnavailable when the store stays away for ten seconds.
 */
export async function executeOn<State, Command, Event extends DomainEvent, Rejection>(
  writer: AggregateWriter,
  {
    stream,
    decider,
    command,
  }: {
    readonly stream: string
    readonly decider: Decider<State, Command, Event, Rejection>
    readonly command: Command
  },
  cause: CommandCause,
  { isOnce = false }: AggregateOptions = {},
): Promise<AggregateOutcome<State, Event, Rejection>> {
  const { store, randomness, memory } = writer
  const { causationId } = cause
  let before: (Event & WrittenEvent)[] = []
  const noteRepeated = (event: Event & WrittenEvent): void => {
    if (event.metadata.causationId === causationId) before.push(event)
  }
  const { events, decided, position } = await writeDecided(writer, {
    stream,
    load() {
      before = []
      return isOnce && causationId !== null
        ? loadAggregate(store, stream, decider, { see: noteRepeated })
        : loadAggregate(store, stream, decider, { memory })
    },
    decide({ state }: LoadedAggregate<State>, context) {
      if (before.length > 0) return { status: 'done' as const, state, events: [] }
      const decision = decider.decide(state, command, context)
      if (decision.status === 'rejected') return { ...decision, events: [] }
      const after = decision.events.reduce((so, event) => decider.evolve(so, event), state)
      const written = newEvents(decision.events, cause, randomness)
      return { status: 'done' as const, state: after, events: written }
    },
  })
  if (decided.status === 'rejected') return { status: 'rejected', rejection: decided.rejection }
  const repeated = before.at(-1)
  return repeated === undefined
    ? { status: 'done', position, events, state: decided.state }
    : { status: 'done', position: repeated.position, events: before, state: decided.state }
}

/** Decides a command on the present state; nothing is appended. */
export const decideOn = <State, Command, Event, Rejection>(
  clock: Pick<Clock, 'now'>,
  decider: Pick<Decider<State, Command, Event, Rejection>, 'decide'>,
  loaded: LoadedAggregate<State>,
  command: Command,
): Decision<Event, Rejection> => decider.decide(loaded.state, command, contextOf(clock, loaded))

/**
 * Folds a stream, starting from its remembered state. A stream that does not exist gives the initial state and
 * LOG_START. A memory serves streams of one decider only. `see` gets each event that is read.
 */
export async function loadAggregate<State, Event extends DomainEvent>(
  store: EventStore,
  stream: string,
  decider: Pick<Decider<State, never, Event, unknown>, 'initial' | 'evolve'>,
  {
    memory,
    see,
  }: {
    readonly memory?: AggregateMemory | undefined
    readonly see?: ((event: Event & RecordedEvent) => void) | undefined
  } = {},
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
      see?.(event as unknown as Event & RecordedEvent)
    }
    head = { revision: event.revision, hash: event.metadata.hash }
    position = event.position
    at = Math.max(at, event.data.at)
  }
  const loaded = { state, head, position, at }
  memory?.set(stream, loaded)
  return loaded
}
