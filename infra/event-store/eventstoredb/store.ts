import type { NewEvent, Position } from '@tollgate/domain/event.ts'
import { LOG_START } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  ForeignEvent,
  StreamCut,
  type AppendedEvents,
  type ReadStreamOptions,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import type { AuditableEventStore, LogHealth } from '../auditable-store.ts'
import { chainEvents, chainSetAside, chainStored } from '../chain.ts'
import { foreignEvents } from '../foreign-events.ts'
import { linkedStreams } from '../linked-events.ts'
import { logLinks } from '../log-links.ts'
import { checkLimit, checkPosition, checkReadStream } from '../read-arguments.ts'
import { decodedOr, type StoredEvent } from '../stored-event.ts'
import type { StoreLogger } from '../store-logger.ts'
import { UPCASTERS, type Upcasters } from '../upcasters.ts'
import { createAppender } from './appender.ts'
import { connect, disconnect } from './client.ts'
import { newCutSearch, readCutStreams } from './cut-streams.ts'
import { readAddress } from './address.ts'
import { logFollowers } from './follow-log.ts'
import { logPages } from './log-pages.ts'
import { openRights } from './open-rights.ts'
import { ownEvents } from './own-events.ts'
import {
  readHead,
  readLogBackwards,
  readNewestAt,
  readStoredAt,
  readStreamPage,
  refuseIfEmptied,
} from './reads.ts'
import { readRights } from './read-rights.ts'
import { createPrepares, storedEvent } from './recorded.ts'

export interface EventStoreDbOptions {
  /** Such as `esdb://127.0.0.1:2113?tls=false`; see Kurrent's documentation of connection strings. */
  readonly connectionString: string
  readonly logger: StoreLogger
  readonly clock: Clock
  /** Default: those of every change ever made; tests bring others. */
  readonly upcasters?: Upcasters
  /** An append without an answer for so long has an unknown outcome. Default 5,000. */
  readonly appendTimeoutMs?: number
  /** A read that brings nothing for so long is given up, and its node with it. Default 10,000. */
  readonly readSilenceMs?: number
}

/** Stalls of about a second happen now and then in a healthy server. */
const DEFAULT_APPEND_TIMEOUT_MS = 5_000
/** First page small (an account is mostly near its newest carry-forward), later ones large. */
const STREAM_PAGES = [100, 1_000] as const

/** The event log in EventStoreDB 22.10 to KurrentDB 26. Open one per process: a connection carries everything. */
export function openEventStoreDb(options: EventStoreDbOptions): AuditableEventStore & LogHealth {
  const { logger, upcasters = UPCASTERS } = options
  const connection = connect(options.connectionString, options.readSilenceMs)
  const { client, internals } = connection
  const prepares = createPrepares()
  const pages = logPages(connection, prepares)
  const appender = createAppender(
    connection,
    options.appendTimeoutMs ?? DEFAULT_APPEND_TIMEOUT_MS,
    (stream, from, count) =>
      readStreamPage(connection, stream, { from, direction: 'forwards', maxCount: count }),
    logger,
  )
  const rights = readRights()
  const foreign = foreignEvents(logger)
  const readBefore = (stream: string, before: number, limit: number): Promise<StoredEvent[]> =>
    readStreamPage(connection, stream, {
      from: before - 1,
      direction: 'backwards',
      maxCount: limit,
    })
  const links = logLinks(readBefore, upcasters, foreign)
  const own = ownEvents(links, upcasters)
  const followLog = logFollowers({ internals, prepares, rights, logger, ownEvents: own })
  const cutSearch = newCutSearch()
  const readOpenRights = openRights(client, readAddress(options.connectionString))
  const closing = new AbortController()
  let knownHead: Position = LOG_START
  /** Position up to which the log was searched for its newest event: the server writes events of its own behind it. */
  let knownEnd: Position = LOG_START

  async function append(
    stream: string,
    events: readonly NewEvent[],
    expected: StreamHead,
  ): Promise<AppendedEvents> {
    const appended = await appender.append(chainEvents(stream, events, expected))
    links.appended(stream, expected, appended.head)
    return appended
  }

  async function* readStored(
    stream: string,
    { from, direction = 'forwards', limit = Infinity }: ReadStreamOptions,
  ): AsyncGenerator<StoredEvent, void, undefined> {
    checkReadStream(from, limit)
    const isForwards = direction === 'forwards'
    let next = from
    let left = limit
    let seen: number | null = null
    for (let page = 0; left > 0; page += 1) {
      const size = Math.min(left, STREAM_PAGES[Math.min(page, 1)] ?? left)
      const events = await rights.noting(
        readStreamPage(connection, stream, { from: next, direction, maxCount: size }),
      )
      const [first] = events
      if (isForwards && seen === null && first !== undefined && first.revision > (from ?? 0)) {
        throw new StreamCut(stream, first.revision)
      }
      yield* events
      const last = events.at(-1)
      seen = last?.revision ?? seen
      if (!isForwards && seen === 0) return
      if (last === undefined || events.length < size) {
        // No more is there, and backwards the beginning was not met.
        if (seen === null && (!isForwards || (from ?? 0) === 0))
          await refuseIfEmptied(connection, stream)
        if (seen !== null && !isForwards) throw new StreamCut(stream, seen)
        return
      }
      left -= events.length
      next = last.revision + (isForwards ? 1 : -1)
    }
  }

  async function headPosition(): Promise<Position> {
    const { head, end } = await rights.noting(readHead(connection, prepares, knownEnd))
    knownEnd = Math.max(knownEnd, end)
    knownHead = Math.max(knownHead, head)
    return knownHead
  }

  return {
    append,
    readStream: linkedStreams(readStored, upcasters, foreign),
    appendStored: async (...stored) => appender.append(chainStored(...stored)),
    appendSetAside: async (...setAside) => appender.append(chainSetAside(...setAside)),
    readStoredStream: (stream, options = {}) => readStored(stream, options),
    async readStoredLog(after, limit) {
      checkPosition(after)
      checkLimit(limit)
      return pages.read(after, limit, async (arrived, left) =>
        arrived.slice(0, left).map(storedEvent),
      )
    },
    async readStoredLogBackwards(before, limit) {
      checkLimit(limit)
      return readLogBackwards(connection, prepares, before, limit)
    },
    async readStoredAt(position) {
      checkPosition(position)
      return readStoredAt(connection, prepares, position)
    },
    // Positions are offsets in bytes.
    hasGaplessPositions: false,
    appendProblem: () => appender.health.problem(),
    proveWrite: () => appender.proveWrite(),
    readProblem: () => rights.readProblem(),
    followProblem: () => rights.followProblem(),
    foreignProblem: () => foreign.problem(),
    foreignEvents: () => foreign.places(),
    async readAll(after, filter, limit) {
      checkPosition(after)
      checkLimit(limit)
      return pages.read(after, limit, (arrived, left) => own(arrived, filter, left))
    },
    async readBare(after, filter, limit) {
      checkPosition(after)
      checkLimit(limit)
      return pages.read(after, limit, (arrived, left) => own(arrived, filter, left))
    },
    subscribeAll(after, filter, signal) {
      checkPosition(after)
      return followLog(after, filter, AbortSignal.any([signal, closing.signal]))
    },
    headPosition,
    async newestAt(position) {
      checkPosition(position)
      return readNewestAt(connection, prepares, position, (stored) => {
        const read = decodedOr(stored, upcasters)
        return read instanceof ForeignEvent ? null : read
      })
    },
    readCutStreams: async () => readCutStreams(client, await headPosition(), cutSearch),
    readOpenRights: async () => readOpenRights(await headPosition()),
    async describe() {
      const { serverVersion } = await internals.capabilities
      return `EventStoreDB ${serverVersion}`
    },
    async close() {
      closing.abort()
      pages.close()
      await disconnect(connection)
    },
  }
}
