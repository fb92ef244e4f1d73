import {
  AccessDeniedError,
  BACKWARDS,
  DeadlineExceededError,
  END,
  FORWARDS,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  type AllStreamResolvedEvent,
  type ReadAllOptions,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import {
  StoreUnavailable,
  StreamCut,
  type StreamFilter,
} from '@tollgate/domain/ports/event-store.ts'
import { messageOf } from '../message-of.ts'
import type { StoredEvent } from '../stored-event.ts'
import { type Connection, ON_LEADER, onLeader } from './client.ts'
import { readFailure } from './refusal.ts'
import { letsThrough, positionNumber, storedEvent, type Prepares } from './recorded.ts'

/** Events asked for at once when the log is searched. */
const LOG_PAGE = 1_000
/** When looking for the newest event: mostly it is the first one found. */
const HEAD_PAGE = 10

/**
 * One page of a stream, in the direction asked for; empty when there is no such stream. Fails with StoreUnavailable, and
 * with StreamCut when it was deleted for good.
 */
export const readStreamPage = (...args: Parameters<typeof streamPage>): Promise<StoredEvent[]> =>
  onLeader(() => streamPage(...args))

async function streamPage(
  connection: Connection,
  stream: string,
  from: number | undefined,
  direction: 'forwards' | 'backwards',
  maxCount: number,
): Promise<StoredEvent[]> {
  const isForwards = direction === 'forwards'
  const read = connection.client.readStream(stream, {
    ...ON_LEADER,
    fromRevision: from === undefined ? (isForwards ? START : END) : BigInt(from),
    direction: isForwards ? FORWARDS : BACKWARDS,
    maxCount,
  })
  const events: StoredEvent[] = []
  await drain(connection, read, (resolved) => {
    const stored = storedEvent(resolved)
    if (stored !== null) events.push(stored)
  }).catch((error: unknown) => {
    throw isDeletedForGood(error) ? new StreamCut(stream, null, error) : error
  })
  return events
}

const isDeletedForGood = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.cause instanceof StreamDeletedError

/**
 * Fails with StreamCut when a stream that shows no events has metadata: it was deleted, or limited so that nothing is
 * left. Whoever may not read metadata finds out by `readCutStreams`.
 */
export async function refuseIfEmptied(connection: Connection, stream: string): Promise<void> {
  if (isLimit(await onLeader(() => newestMetadata(connection, stream)))) {
    throw new StreamCut(stream, null)
  }
}

/** Empty where there is none, or it must not be read. */
async function newestMetadata(connection: Connection, stream: string): Promise<object> {
  let metadata = {}
  const options = { ...ON_LEADER, direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const
  const read = connection.client.readStream(`$$${stream}`, options)
  await drain(connection, read, ({ event }) => {
    if (typeof event?.data === 'object') metadata = event.data
  }).catch((error: unknown) => {
    const isHidden = error instanceof StoreUnavailable && error.cause instanceof AccessDeniedError
    if (!isHidden) throw error
  })
  return metadata
}

/** Whether metadata takes events away from readers. */
export const isLimit = (metadata: object): boolean =>
  LIMITS.some((limit) => Object.hasOwn(metadata, limit))

const LIMITS = ['$maxCount', '$maxAge', '$tb'] as const

/**
 * Up to `limit` events after a position that the filter lets through, as `take` has them; those that it answers null for
 * are passed over. The client cannot filter reads, so all pass by.
 */
export async function readLog<Event>(
  connection: Connection,
  prepares: Prepares,
  after: Position,
  filter: StreamFilter,
  limit: number,
  take: (stored: StoredEvent) => Event | null,
): Promise<Event[]> {
  const events: Event[] = []
  let seen = after
  let from: AllPosition = after === LOG_START ? START : prepares.logPosition(after)
  for (;;) {
    // Reading from a position includes the event there, which has been seen.
    const page = await readLogPage(connection, prepares, from, FORWARDS, LOG_PAGE)
    for (const resolved of page) {
      const stored = storedEvent(resolved)
      if (stored === null || stored.position <= seen) continue
      seen = stored.position
      const event = letsThrough(filter, stored) ? take(stored) : null
      if (event !== null) events.push(event)
      if (events.length === limit) return events
    }
    const last = page.at(-1)?.event?.position
    if (page.length < LOG_PAGE || last === undefined) return events
    from = last
  }
}

/**
 * Position of the newest event that is not the server's own (`known` when there is none after that), searched backwards
 * from the log's end, which is answered too, down to `known`, up to where the log was searched before.
 */
export async function readHead(
  connection: Connection,
  prepares: Prepares,
  known: Position,
): Promise<{ readonly head: Position; readonly end: Position }> {
  let from: AllPosition = END
  let end = known
  for (let size = HEAD_PAGE; ; size = LOG_PAGE) {
    const page = await readLogPage(connection, prepares, from, BACKWARDS, size)
    for (const resolved of page) {
      const commit = resolved.commitPosition ?? resolved.event?.position.commit
      const position = commit === undefined ? null : positionNumber(commit)
      if (position !== null) end = Math.max(end, position)
      if (position !== null && position <= known) return { head: LOG_START, end }
      const stored = storedEvent(resolved)
      if (stored !== null) return { head: stored.position, end }
    }
    const last = page.at(-1)?.event?.position
    if (page.length < size || last === undefined) return { head: LOG_START, end }
    from = last
  }
}

/** The newest event at or before a position that is not the server's own and that `take` has; null when there is none. */
export async function readNewestAt<Event>(
  connection: Connection,
  prepares: Prepares,
  position: Position,
  take: (stored: StoredEvent) => Event | null,
): Promise<Event | null> {
  const taken = (resolved: AllStreamResolvedEvent): Event | null => {
    const stored = storedEvent(resolved)
    return stored === null ? null : take(stored)
  }
  if (position === LOG_START) return null
  let from: AllPosition = prepares.logPosition(position)
  // Backwards, a read begins before its position; forwards, with it.
  const [there] = await readLogPage(connection, prepares, from, FORWARDS, 1)
  const stored = there === undefined ? null : storedEvent(there)
  const exact = stored?.position === position ? take(stored) : null
  if (exact !== null) return exact
  for (let size = HEAD_PAGE; ; size = LOG_PAGE) {
    const page = await readLogPage(connection, prepares, from, BACKWARDS, size)
    for (const resolved of page) {
      const newest = taken(resolved)
      if (newest !== null) return newest
    }
    const last = page.at(-1)?.event?.position
    if (page.length < size || last === undefined) return null
    from = last
  }
}

type AllPosition = NonNullable<ReadAllOptions['fromPosition']>

const readLogPage = (...args: Parameters<typeof logPage>): Promise<AllStreamResolvedEvent[]> =>
  onLeader(() => logPage(...args))

async function logPage(
  connection: Connection,
  prepares: Prepares,
  fromPosition: AllPosition,
  direction: typeof FORWARDS | typeof BACKWARDS,
  maxCount: number,
): Promise<AllStreamResolvedEvent[]> {
  const page: AllStreamResolvedEvent[] = []
  await drain(
    connection,
    connection.client.readAll({ ...ON_LEADER, fromPosition, direction, maxCount }),
    (resolved) => {
      prepares.note(resolved)
      page.push(resolved)
    },
  )
  return page
}

/** Takes a read to its end. A node that is silent meanwhile is given up: the client itself would wait for ever. */
function drain<Event extends ResolvedEvent | AllStreamResolvedEvent>(
  { silenceMs, abandon }: Connection,
  read: StreamingRead<Event>,
  take: (event: Event) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let heardAt = performance.now()
    const fail = (error: unknown): void => {
      clearTimeout(silence)
      reject(unanswered(error))
    }
    const silence = setTimeout(() => {
      fail(new Error(`nothing came for ${silenceMs} ms`))
      abandon(heardAt)
      void read.cancel().catch(() => undefined)
    }, silenceMs)
    read.on('data', (event: Event) => {
      silence.refresh()
      heardAt = performance.now()
      try {
        take(event)
      } catch (error) {
        clearTimeout(silence)
        void read.cancel().catch(() => undefined)
        reject(error instanceof Error ? error : new Error(messageOf(error)))
      }
    })
    // Stays on after the end, as a cancelled read may fail once more.
    read.on('error', (error: unknown) => {
      if (error instanceof StreamNotFoundError) {
        clearTimeout(silence)
        resolve()
        return
      }
      // The client's own limit for a call, which a node that has stalled reaches as well.
      if (error instanceof DeadlineExceededError) abandon(heardAt)
      fail(error)
    })
    read.on('end', () => {
      clearTimeout(silence)
      resolve()
    })
  })
}

const unanswered = (error: unknown): StoreUnavailable => readFailure('did not answer a read', error)
