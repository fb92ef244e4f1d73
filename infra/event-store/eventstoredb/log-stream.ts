import type { Connection } from './client.ts'
import { type From, logRequest, openRead, type ReadCall } from './raw-reads.ts'
import type { ReadAnswer } from './read-answer.ts'
import type { ArrivedEvent, LogPosition, Prepares } from './recorded.ts'
import { readFailure } from './refusal.ts'

/**
 * Limits of events that wait for the consumer before the server is slowed down; some events more are on their way then.
 */
const WAITING_EVENTS_MAX = 4_000
const WAITING_BYTES_MAX = 4 * 1024 * 1024
/** The read ends where the log does. */
const ALL_EVENTS = Number.MAX_SAFE_INTEGER

/** One read of the log from a place to its end; it never resumes by itself. */
export interface LogStream {
  /** The next of the events that have arrived, at most so many, the server's own included. */
  take(eventsMax: number): readonly ArrivedEvent[]
  /** Puts back events that were taken last and not used: they come again. */
  putBack(events: readonly ArrivedEvent[]): void
  /** Waits for the next one: false at the end of the log. Fails with StoreUnavailable once all that came was taken. */
  hasMore(): Promise<boolean>
  close(): void
}

/** Begins it, on the leader. The place itself is included. */
export function openLogStream(
  { internals, silenceMs, abandon }: Connection,
  prepares: Prepares,
  from: From<LogPosition>,
): LogStream {
  const waiting: ArrivedEvent[] = []
  let bytes = 0
  let heardAt = performance.now()
  let isOver = false
  let isClosed = false
  let failure: Error | null = null
  let call: ReadCall | null = null
  let wake: () => void = () => undefined

  const isFull = (share = 1): boolean =>
    waiting.length >= WAITING_EVENTS_MAX * share || bytes >= WAITING_BYTES_MAX * share

  function fail(error: unknown): void {
    failure ??= readFailure('did not answer a read', error)
    wake()
  }

  function receive(answer: ReadAnswer): void {
    heardAt = performance.now()
    if (answer.type !== 'event') return
    const { event } = answer
    prepares.note(event)
    waiting.push(event)
    bytes += bytesOf([event])
    if (isFull()) call?.pause()
    wake()
  }

  async function begin(): Promise<void> {
    call = await openRead(internals, logRequest(from, false, ALL_EVENTS))
    // Stays on after the end, as a cancelled read fails once more.
    call.on('error', fail)
    call.on('end', () => {
      isOver = true
      wake()
    })
    call.on('data', receive)
    if (isClosed) call.cancel()
  }
  begin().catch(fail)

  /** A node that is silent while it is waited for is given up: gRPC itself would wait for ever. */
  async function nextNews(): Promise<void> {
    const waitsSince = performance.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    const silence = setTimeout(() => {
      fail(new Error(`nothing came for ${silenceMs} ms`))
      abandon(Math.max(heardAt, waitsSince))
    }, silenceMs)
    await promise
    clearTimeout(silence)
  }

  return {
    take(eventsMax) {
      const events = waiting.splice(0, eventsMax)
      bytes -= bytesOf(events)
      // Not for each page: the server sends in pieces, too.
      if (!isFull(0.5) && call?.isPaused() === true) call.resume()
      return events
    },
    putBack(events) {
      waiting.unshift(...events)
      bytes += bytesOf(events)
    },
    async hasMore() {
      while (waiting.length === 0) {
        if (failure !== null) throw failure
        if (isOver) return false
        await nextNews()
      }
      return true
    },
    close() {
      isClosed = true
      call?.cancel()
    },
  }
}

const bytesOf = (events: readonly ArrivedEvent[]): number =>
  events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0)
