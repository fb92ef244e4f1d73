import { Client } from 'pg'
import type { Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { pause } from '../../time/pause.ts'
import { keepAliveAfterMs } from '../../postgres/pool.ts'
import type { StoreLogger } from '../store-logger.ts'
import { messageOf } from '../message-of.ts'

/** Tells subscribers that the log may have grown. */
export interface WakeUp {
  /** For one subscriber, who closes it. */
  listen(): Listener
  /** The log reaches up to a position; without one, to somewhere. */
  wakeAll(position?: Position): void
  close(): Promise<void>
}

/** One subscriber's ear. */
export interface Listener {
  /** To be called before the log is read: what was told before is of no interest then. */
  forget(): void
  /**
   * Resolves when it was told, since it forgot, that the log reaches beyond a position; after `timeoutMs`, or when the
   * signal aborts.
   */
  beyond(position: Position, timeoutMs: number, signal: AbortSignal): Promise<void>
  close(): void
}

/** Listens on a connection of its own, for as long as the store is open, through every loss of the connection. */
export function openWakeUp(databaseUrl: string, logger: StoreLogger, clock: Clock): WakeUp {
  const ears = new Set<Ear>()
  const closing = new AbortController()
  let client: Client | null = null
  const closed = new Promise<unknown>((resolve) => {
    closing.signal.addEventListener('abort', () => resolve(new Error('closed')), { once: true })
  })

  function wakeAll(position: Position = Infinity): void {
    for (const ear of ears) ear.tell(position)
  }

  async function keepListening(): Promise<void> {
    let failures = 0
    while (!closing.signal.aborted) {
      const connectedAt = clock.monotonicMs()
      const error = await listenOnce()
      if (closing.signal.aborted) return
      failures = clock.monotonicMs() - connectedAt > LASTING_MS ? 1 : failures + 1
      logger.warn(
        { error: messageOf(error) },
        'the connection that listens for new events was lost',
      )
      await pause(backOffMs(failures), closing.signal)
    }
  }

  /** Resolves with the reason when the connection has ended. */
  async function listenOnce(): Promise<unknown> {
    const own = new Client({
      connectionString: databaseUrl,
      application_name: 'tollgate-ledger-listen',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
    })
    client = own
    const ended = new Promise<unknown>((resolve) => {
      own.on('error', resolve)
      own.on('end', () => resolve(new Error('connection ended')))
    })
    own.on('notification', ({ payload }) => wakeAll(positionIn(payload)))
    try {
      // A client that is ended while it connects never settles its connect(): its end, or ours, is then the answer.
      await Promise.race([own.connect(), failingAfter(ended), failingAfter(closed)])
      await own.query('listen tollgate_ledger')
    } catch (error) {
      if (!closing.signal.aborted) await own.end().catch(() => undefined)
      return error
    }
    // Events may have been appended while nobody listened.
    wakeAll()
    const reason = await Promise.race([ended, closed])
    if (!closing.signal.aborted) await own.end().catch(() => undefined)
    return reason
  }

  const listening = keepListening()
  return {
    wakeAll,
    listen() {
      const ear = new Ear((closed) => ears.delete(closed))
      ears.add(ear)
      return ear
    },
    async close() {
      closing.abort()
      wakeAll()
      await listening
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS)
      })
      await Promise.race([client?.end().catch(() => undefined), patience])
      clearTimeout(timer)
    },
  }
}

/** Keeps what it was told until somebody asks. */
class Ear implements Listener {
  #told: Position = -1
  #wake: ((told: Position) => void) | null = null
  readonly #onClose: (ear: Ear) => void

  constructor(onClose: (ear: Ear) => void) {
    this.#onClose = onClose
  }

  tell(position: Position): void {
    this.#told = Math.max(this.#told, position)
    this.#wake?.(this.#told)
  }

  forget(): void {
    this.#told = -1
  }

  beyond(position: Position, timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.#told > position || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#wake = null
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, timeoutMs)
      this.#wake = (told) => {
        if (told > position) done()
      }
      signal.addEventListener('abort', done, { once: true })
    })
  }

  close(): void {
    this.#onClose(this)
  }
}

/** The log's end that a notification tells; anywhere when it is none of the ledger's own. */
function positionIn(payload: string | undefined): Position {
  const position = Number(payload)
  return payload !== undefined && /^\d+$/u.test(payload) ? position : Infinity
}

/** How long a connection may take to say goodbye. */
const CLOSE_MS = 1_000

async function failingAfter(reason: Promise<unknown>): Promise<never> {
  throw await reason
}

/** A connection that lived longer than this was good: the next loss is the first one again. */
const LASTING_MS = 10_000
