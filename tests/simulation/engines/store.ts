import { hash as digest } from 'node:crypto'
import { LOG_START, type NewEvent, type RecordedEvent } from '@tollgate/domain/event.ts'
import {
  type AppendedEvents,
  EMPTY_STREAM,
  type EventStore,
  ForeignEvent,
  type ReadStreamOptions,
  RevisionConflict,
  type StreamFilter,
  type StreamHead,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import { chancesOf } from '../core/chances.ts'
import { NO_FAULTS } from '../core/faults.ts'
import type { Life } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'

/**
 * The event log as a server of its own: it never dies, but may be away, and its answers may never come. In every third
 * seed processes read streams at a node that is behind, as a client of a cluster may, and those who follow the log are
 * far behind; appends, and the question whether a head is the newest, go to the leader.
 */
export interface SimulatedStore {
  /** Everything stored, in order; for those who check. */
  readonly log: readonly RecordedEvent[]
  setUnavailable(isUnavailable: boolean): void
  /** Puts the log back to its first `length` events; whatever was under way is lost. Answers what it had beyond. */
  putBack(length: number): readonly RecordedEvent[]
  /** Another log answers in the place of this one from now on, or this one again (null). Connections break. */
  exchange(other: OtherLog | null): void
  /** The store as one process sees it. */
  portOf(life: Life): EventStore
}

/** A log that is not this one: it may have begun as a copy of it. */
export interface OtherLog {
  /** Number of its events that are the first of this one. */
  readonly common: number
  /** And these come behind. */
  readonly own: readonly { readonly stream: string; readonly event: NewEvent }[]
}

/** How long a process waits for an answer. */
const TIMEOUT_MS = 1_000
const LATENCY_MS = [1, 10] as const
/** An append that takes its time may stand after its process has given it up. */
const SLOW_MS = [100, 2_500] as const
const FOLLOW_BATCH_MAX = 20
/** From an append to the moment at which those who follow hear of it, or ask again after a failure. */
const FOLLOW_AFTER_MS = [5, 600] as const

/** In one seed of so many processes read at followers. */
const FOLLOWERS_EVERY = 3
/** For so long a follower keeps its distance, which is one of these; without faults it has none. */
const DISTANCE_STANDS_MS = 4_000
const DISTANCES_MS = [0, 0, 50, 500, 3_000] as const
/** The same for those who follow the log. */
const FOLLOW_DISTANCE_STANDS_MS = 25_000
const FOLLOW_DISTANCES_MS = [0, 500, 5_000, 20_000] as const

const isReadAtFollowers = ({ seed }: Pick<Runtime, 'seed'>): boolean => seed % FOLLOWERS_EVERY === 2

/** How far behind the log streams may be read at most, milliseconds. */
export const readsAreBehindMs = (runtime: Pick<Runtime, 'seed'>): number =>
  isReadAtFollowers(runtime) ? Math.max(...DISTANCES_MS) : 0

interface Stored {
  readonly bytes: string
  readonly event: RecordedEvent
}

interface Contents {
  readonly log: RecordedEvent[]
  readonly streams: Map<string, Stored[]>
}

/** See `SimulatedStore`. `onAppend` is told of every event as it is stored, and by whom. */
export function makeStore(
  runtime: Runtime,
  onAppend: (event: RecordedEvent, by: Life) => void,
): SimulatedStore {
  const { scheduler, chances } = runtime
  const own: Contents = { log: [], streams: new Map() }
  /** The contents that answer. */
  let present = own
  /** To be told of the next append. */
  const followers: (() => void)[] = []
  let isUnavailable = false
  /** How often all connections broke: what was asked before is never answered. */
  let breaks = 0

  function land(
    life: Life,
    stream: string,
    chained: readonly Stored[],
    expected: StreamHead,
  ): AppendedEvents {
    const stored = present.streams.get(stream) ?? []
    const last = stored.at(-1)?.event
    const from = expected.revision + 1
    if (stored.length !== from) {
      const isRepeated = chained.every(({ bytes }, i) => stored[from + i]?.bytes === bytes)
      const newest = stored[from + chained.length - 1]?.event
      if (!isRepeated || newest === undefined) {
        throw new RevisionConflict(stream, expected.revision, stored.length - 1)
      }
      return { head: headOf(newest), position: newest.position }
    }
    if (present !== own) runtime.violate('written-to-other-log', `${stream} by ${life.name}`)
    else if ((last?.metadata.hash ?? '') !== expected.hash) runtime.violate('chain-broken', stream)
    const recordedAt = Math.floor(scheduler.now())
    for (const recorded of store(present, stream, chained, recordedAt)) {
      if (present === own) onAppend(recorded, life)
    }
    for (const tell of followers.splice(0)) tell()
    const newest = present.log.at(-1)
    if (newest === undefined) throw new TypeError('an append of nothing')
    return { head: headOf(newest), position: newest.position }
  }

  /** One question to the server: it arrives or not, now or later, and the same holds for its answer. */
  function ask<Answer>(life: Life, work: () => Answer, isWrite: boolean): Promise<Answer> {
    const before = breaks
    return new Promise((resolve, reject) => {
      life.send(() => {
        const { storeLost, storeUnanswered, storeSlow } = runtime.faults()
        const fail = (outcome: 'none' | 'unknown'): void =>
          reject(new StoreUnavailable('the store does not answer', outcome))
        if (isUnavailable) {
          life.after(chances.whole(...LATENCY_MS), () => fail('none'))
          return
        }
        const timeout = life.after(TIMEOUT_MS, () => fail('unknown'))
        if (chances.chance(storeLost)) return
        const [least, most] = chances.chance(storeSlow) ? SLOW_MS : LATENCY_MS
        scheduler.at(scheduler.now() + chances.whole(least, most), () => {
          if (isUnavailable || breaks !== before) return
          const settle = settlementOf(work, resolve, reject)
          if (isWrite && chances.chance(storeUnanswered)) return
          life.after(chances.whole(...LATENCY_MS), () => {
            timeout.cancel()
            settle()
          })
        })
      })
    })
  }

  /** How far behind is what a process reads. Chance is left alone: the other seeds stay what they are. */
  function distanceMs(
    { name }: Life,
    standsMs: number,
    distances: readonly [number, ...number[]],
  ): number {
    if (!isReadAtFollowers(runtime) || runtime.faults() === NO_FAULTS) return 0
    const turn = Math.floor(scheduler.now() / standsMs)
    return chancesOf(seedOf(`${runtime.seed} ${name} ${turn}`)).pick(distances)
  }

  function select(
    life: Life,
    stream: string,
    options: ReadStreamOptions,
  ): readonly RecordedEvent[] {
    const { from, direction = 'forwards', limit = Number.POSITIVE_INFINITY } = options
    // Whether a head is the newest is a question of one event.
    const isOfHead = direction === 'forwards' && limit === 1
    const behindMs = isOfHead ? 0 : distanceMs(life, DISTANCE_STANDS_MS, DISTANCES_MS)
    const upTo = scheduler.now() - behindMs
    const events = (present.streams.get(stream) ?? [])
      .map(({ event }) => event)
      .filter(({ recordedAt }) => recordedAt <= upTo)
    if (direction === 'forwards') return events.slice(from ?? 0, (from ?? 0) + limit)
    return events
      .slice(0, (from ?? events.length) + 1)
      .toReversed()
      .slice(0, limit)
  }

  const after = (position: number, filter: StreamFilter, limit: number) =>
    present.log
      .slice(position + 1, position + 1 + limit)
      .filter(({ stream }) => isIn(filter, stream))

  /** Resolves some time after the next append. */
  const grown = (life: Life): Promise<void> =>
    new Promise((resolve) => {
      followers.push(() => void life.after(chances.whole(...FOLLOW_AFTER_MS), resolve))
    })

  function portOf(life: Life): EventStore {
    async function* readStream(
      stream: string,
      options: ReadStreamOptions = {},
    ): AsyncGenerator<RecordedEvent> {
      const events = await ask(life, () => select(life, stream, options), false)
      const { prevHash } = options
      const [first] = events
      if (prevHash !== undefined && first !== undefined && first.metadata.prevHash !== prevHash) {
        throw new ForeignEvent(stream, first.revision, 'it does not follow the event before it')
      }
      yield* events
    }
    async function* subscribeAll(
      position: number,
      filter: StreamFilter,
      signal: AbortSignal,
    ): ReturnType<EventStore['subscribeAll']> {
      let at = position
      while (!signal.aborted) {
        const limit = chances.whole(1, FOLLOW_BATCH_MAX)
        const read = () => {
          const upTo =
            scheduler.now() - distanceMs(life, FOLLOW_DISTANCE_STANDS_MS, FOLLOW_DISTANCES_MS)
          const known = present.log.findLastIndex(({ recordedAt }) => recordedAt <= upTo)
          const to = Math.min(known, at + limit)
          return {
            events: after(at, filter, to - at),
            to,
            isBehind: known < present.log.length - 1,
          }
        }
        try {
          const { events, to, isBehind } = await ask(life, read, false)
          const isNew = to > at
          at = Math.max(at, to)
          const isAtEnd = (): boolean => at >= present.log.length - 1
          yield { events, position: at, caughtUp: isAtEnd() }
          if (isAtEnd()) await grown(life)
          else if (isBehind && !isNew)
            await life.clock.sleep(chances.whole(...FOLLOW_AFTER_MS), signal)
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error
          await life.clock.sleep(chances.whole(...FOLLOW_AFTER_MS), signal)
        }
      }
    }
    return {
      append: (stream, events, expected) => {
        const chained = chain(stream, events, expected)
        return ask(life, () => land(life, stream, chained, expected), true)
      },
      readStream,
      readAll: (position, filter, limit) => ask(life, () => after(position, filter, limit), false),
      subscribeAll,
      headPosition: () => ask(life, () => present.log.at(-1)?.position ?? LOG_START, false),
      // No question to the server: what a checkpoint stands on is no part of what is tried here.
      newestAt: (position) => Promise.resolve(present.log[position] ?? null),
      hasGaplessPositions: true,
      describe: () => Promise.resolve('simulated'),
      close: () => Promise.resolve(),
    }
  }

  return {
    log: own.log,
    putBack(length) {
      runtime.trace(() => `the log is put back from ${own.log.length} to ${length} events`)
      breaks += 1
      const lost = own.log.splice(length)
      for (const { stream, revision } of lost.toReversed()) {
        own.streams.get(stream)?.splice(revision)
      }
      return lost
    },
    exchange(other) {
      runtime.trace(() => (other === null ? 'the log is back' : 'another log is in its place'))
      breaks += 1
      present = other === null ? own : contentsOf(own, other)
      for (const tell of followers.splice(0)) tell()
    },
    setUnavailable(unavailable) {
      isUnavailable = unavailable
      runtime.trace(() => `the store is ${unavailable ? 'away' : 'back'}`)
    },
    portOf,
  }
}

/** Stores behind what is there; answers what it stored. */
function store(
  { log, streams }: Contents,
  stream: string,
  chained: readonly Stored[],
  recordedAt: number,
): readonly RecordedEvent[] {
  const present = streams.get(stream) ?? []
  streams.set(stream, present)
  return chained.map(({ bytes, event }) => {
    const recorded = { ...event, position: log.length, recordedAt }
    present.push({ bytes, event: recorded })
    log.push(recorded)
    return recorded
  })
}

function contentsOf(own: Contents, other: OtherLog): Contents {
  const log = own.log.slice(0, other.common)
  const streams = new Map<string, Stored[]>()
  for (const [name, stored] of own.streams) {
    const kept = stored.filter(({ event }) => event.position < log.length)
    if (kept.length > 0) streams.set(name, kept)
  }
  for (const { stream, event } of other.own) {
    const head = headOf(streams.get(stream)?.at(-1)?.event)
    store({ log, streams }, stream, chain(stream, [event], head), 0)
  }
  return { log, streams }
}

const seedOf = (text: string): number => Number.parseInt(digest('sha1', text).slice(0, 8), 16)

/** The very bytes of an append, chained behind the expected end of the stream. */
function chain(stream: string, events: readonly NewEvent[], expected: StreamHead): Stored[] {
  let { hash, revision } = expected
  return events.map((event) => {
    const prevHash = hash
    const text = JSON.stringify(event)
    hash = digest('sha1', prevHash + text)
    revision += 1
    const parsed = JSON.parse(text) as NewEvent
    const metadata = { ...parsed.metadata, prevHash, hash }
    const placed = { ...parsed, metadata, stream, revision, position: LOG_START, recordedAt: 0 }
    return { bytes: prevHash + text, event: placed }
  })
}

const headOf = (event: RecordedEvent | undefined): StreamHead =>
  event === undefined ? EMPTY_STREAM : { revision: event.revision, hash: event.metadata.hash }

const isIn = (filter: StreamFilter, stream: string): boolean =>
  filter === 'all' || filter.streamPrefixes.some((prefix) => stream.startsWith(prefix))

/** Does the work now; what came of it is told later. */
function settlementOf<Answer>(
  work: () => Answer,
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const answer = work()
    return () => resolve(answer)
  } catch (error) {
    return () => reject(error)
  }
}
