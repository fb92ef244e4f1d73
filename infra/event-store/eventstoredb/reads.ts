import type streams from '@eventstore/db-client/generated/streams_pb.js'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import { ReadDenied, type StoreUnavailable, StreamCut } from '@tollgate/domain/ports/event-store.ts'
import { messageOf } from '../message-of.ts'
import type { StoredEvent } from '../stored-event.ts'
import { type Connection, onLeader } from './client.ts'
import { type From, logRequest, openRead, type ReadCall, streamRequest } from './raw-reads.ts'
import type { ReadAnswer } from './read-answer.ts'
import { readFailure } from './refusal.ts'
import {
  type ArrivedEvent,
  isOfServer,
  type LogPosition,
  type Prepares,
  storedEvent,
} from './recorded.ts'

/** Events asked for at once when the log is searched backwards. */
const LOG_PAGE = 1_000
/** When looking for the newest event: mostly it is the first one found. */
const HEAD_PAGE = 10

/** At most `maxCount` events from one on, itself included. */
interface Page<Place> {
  readonly from: Place
  readonly direction: 'forwards' | 'backwards'
  readonly maxCount: number
}

/**
 * One page of a stream, in the direction asked for; empty when there is no such stream. Fails with StoreUnavailable, and
 * with StreamCut when it was deleted for good.
 */
export const readStreamPage = (...args: Parameters<typeof streamPage>): Promise<StoredEvent[]> =>
  onLeader(() => streamPage(...args))

async function streamPage(
  connection: Connection,
  stream: string,
  { from, direction, maxCount }: Page<number | undefined>,
): Promise<StoredEvent[]> {
  const isBackwards = direction === 'backwards'
  const place = from ?? (isBackwards ? 'end' : 'start')
  const events: StoredEvent[] = []
  const request = streamRequest(stream, place, isBackwards, maxCount)
  await drain(connection, request, (arrived) => {
    if (!isOfServer(arrived)) events.push(storedEvent(arrived))
  }).catch((error: unknown) => {
    throw isDeletedForGood(error) ? new StreamCut(stream, null, error) : error
  })
  return events
}

/** As gRPC tells a refusal of the server: its name stands in the metadata. */
function isDeletedForGood(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { metadata } = (error.cause ?? {}) as { metadata?: { get(key: string): unknown[] } }
  return metadata?.get('exception').includes('stream-deleted') === true
}

/**
 * Fails with StreamCut when a stream that shows no events has metadata: it was deleted, or limited so that nothing is
 * left. A process that may not read metadata finds out by `readCutStreams`.
 */
export async function refuseIfEmptied(connection: Connection, stream: string): Promise<void> {
  if (isLimit(await onLeader(() => newestMetadata(connection, stream)))) {
    throw new StreamCut(stream, null)
  }
}

/** Empty where there is none, or it must not be read. */
async function newestMetadata(connection: Connection, stream: string): Promise<object> {
  let metadata: object = {}
  await drain(connection, streamRequest(`$$${stream}`, 'end', true, 1), (arrived) => {
    const read: unknown = JSON.parse(storedEvent(arrived).dataText)
    if (typeof read === 'object' && read !== null) metadata = read
  }).catch((error: unknown) => {
    if (!(error instanceof ReadDenied)) throw error
  })
  return metadata
}

/** Whether metadata takes events away from readers. */
export const isLimit = (metadata: object): boolean =>
  LIMITS.some((limit) => Object.hasOwn(metadata, limit))

const LIMITS = ['$maxCount', '$maxAge', '$tb'] as const

/**
 * Position of the newest event that is not the server's own (`known` when there is none after that), searched backwards
 * from the log's end, which is answered too, down to `known`, up to where the log was searched before.
 */
export async function readHead(
  connection: Connection,
  prepares: Prepares,
  known: Position,
): Promise<{ readonly head: Position; readonly end: Position }> {
  let from: From<LogPosition> = 'end'
  let end = known
  for (let size = HEAD_PAGE; ; size = LOG_PAGE) {
    const page = await readLogPage(connection, prepares, {
      from,
      direction: 'backwards',
      maxCount: size,
    })
    for (const arrived of page) {
      end = Math.max(end, arrived.position)
      if (arrived.position <= known) return { head: LOG_START, end }
      if (!isOfServer(arrived)) return { head: arrived.position, end }
    }
    const last = page.at(-1)
    if (page.length < size || last === undefined) return { head: LOG_START, end }
    from = prepares.logPosition(last.position)
  }
}

/** The newest event at or before a position that is not the server's own and that `take` has; null when there is none. */
export async function readNewestAt<Event>(
  connection: Connection,
  prepares: Prepares,
  position: Position,
  take: (stored: StoredEvent) => Event | null,
): Promise<Event | null> {
  const taken = (arrived: ArrivedEvent): Event | null =>
    isOfServer(arrived) ? null : take(storedEvent(arrived))
  if (position === LOG_START) return null
  let from = prepares.logPosition(position)
  // Backwards, a read begins before its position; forwards, with it.
  const [there] = await readLogPage(connection, prepares, {
    from,
    direction: 'forwards',
    maxCount: 1,
  })
  const exact = there?.position === position ? taken(there) : null
  if (exact !== null) return exact
  for (let size = HEAD_PAGE; ; size = LOG_PAGE) {
    const page = await readLogPage(connection, prepares, {
      from,
      direction: 'backwards',
      maxCount: size,
    })
    for (const arrived of page) {
      const newest = taken(arrived)
      if (newest !== null) return newest
    }
    const last = page.at(-1)
    if (page.length < size || last === undefined) return null
    from = prepares.logPosition(last.position)
  }
}

/** Up to `limit` events before a position (null = the log's end) that are not the server's own, newest first. */
export async function readLogBackwards(
  connection: Connection,
  prepares: Prepares,
  before: Position | null,
  limit: number,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  let from: From<LogPosition> = before === null ? 'end' : prepares.logPosition(before)
  for (;;) {
    const size = Math.min(Math.max(limit - events.length, HEAD_PAGE), LOG_PAGE)
    const page = await readLogPage(connection, prepares, {
      from,
      direction: 'backwards',
      maxCount: size,
    })
    for (const arrived of page) {
      if (isOfServer(arrived)) continue
      events.push(storedEvent(arrived))
      if (events.length === limit) return events
    }
    const last = page.at(-1)
    if (page.length < size || last === undefined) return events
    from = prepares.logPosition(last.position)
  }
}

/** The event at exactly this position; null when none that is not the server's own stands there. */
export async function readStoredAt(
  connection: Connection,
  prepares: Prepares,
  position: Position,
): Promise<StoredEvent | null> {
  if (position === LOG_START) return null
  const from = prepares.logPosition(position)
  const [there] = await readLogPage(connection, prepares, {
    from,
    direction: 'forwards',
    maxCount: 1,
  })
  return there?.position === position && !isOfServer(there) ? storedEvent(there) : null
}

const readLogPage = (...args: Parameters<typeof logPage>): Promise<ArrivedEvent[]> =>
  onLeader(() => logPage(...args))

async function logPage(
  connection: Connection,
  prepares: Prepares,
  { from, direction, maxCount }: Page<From<LogPosition>>,
): Promise<ArrivedEvent[]> {
  const page: ArrivedEvent[] = []
  await drain(connection, logRequest(from, direction === 'backwards', maxCount), (arrived) => {
    prepares.note(arrived)
    page.push(arrived)
  })
  return page
}

/** Takes a read to its end. A node that is silent meanwhile is given up: gRPC itself would wait for ever. */
function drain(
  { internals, silenceMs, abandon }: Connection,
  request: streams.ReadReq,
  take: (arrived: ArrivedEvent) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let read: ReadCall | null = null
  let isOver = false
  let heardAt = performance.now()
  const silence = setTimeout(() => {
    end(unanswered(new Error(`nothing came for ${silenceMs} ms`)))
    abandon(heardAt)
  }, silenceMs)
  function end(error?: Error): void {
    if (isOver) return
    isOver = true
    clearTimeout(silence)
    if (error === undefined) {
      resolve()
      return
    }
    reject(error)
    read?.cancel()
  }
  async function begin(): Promise<void> {
    read = await openRead(internals, request)
    // Stays on after the end, as a cancelled read fails once more.
    read.on('error', (error: Error) => end(unanswered(error)))
    read.on('end', () => end())
    read.on('data', receive)
    if (isOver) read.cancel()
  }
  function receive(answer: ReadAnswer): void {
    silence.refresh()
    heardAt = performance.now()
    if (isOver || answer.type !== 'event') return
    try {
      take(answer.event)
    } catch (error) {
      end(error instanceof Error ? error : new Error(messageOf(error)))
    }
  }
  begin().catch((error: unknown) => end(unanswered(error)))
  return promise
}

const unanswered = (error: unknown): StoreUnavailable => readFailure('did not answer a read', error)
