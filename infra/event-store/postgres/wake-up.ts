import { Client } from 'pg'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { pause } from '../../time/pause.ts'
import { keepAliveAfterMs } from '../../postgres/pool.ts'
import type { StoreLogger } from '../store-logger.ts'
import { messageOf } from '../message-of.ts'

/** Tells waiting subscribers that the log may have grown. */
export interface WakeUp {
  /** Resolves at the next wake, after `timeoutMs`, or when the signal aborts. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>
  /** How often everybody was woken; a wait is only needed while this is what it was before the last read. */
  readonly count: number
  wakeAll(): void
  close(): Promise<void>
}

/** Listens on a connection of its own, for as long as the store is open, through every loss of the connection. */
export function openWakeUp(databaseUrl: string, logger: StoreLogger, clock: Clock): WakeUp {
  const sleepers = new Set<() => void>()
  const closing = new AbortController()
  let count = 0
  let client: Client | null = null
  const closed = new Promise<unknown>((resolve) => {
    closing.signal.addEventListener('abort', () => resolve(new Error('closed')), { once: true })
  })

  function wakeAll(): void {
    count += 1
    const woken = [...sleepers]
    sleepers.clear()
    for (const wake of woken) wake()
  }

  async function listen(): Promise<void> {
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
    own.on('notification', wakeAll)
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

  const listening = listen()
  return {
    wakeAll,
    get count() {
      return count
    },
    wait(timeoutMs, signal) {
      return new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer)
          sleepers.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        const timer = setTimeout(done, timeoutMs)
        sleepers.add(done)
        signal.addEventListener('abort', done, { once: true })
        if (signal.aborted) done()
      })
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

/** How long a connection may take to say goodbye. */
const CLOSE_MS = 1_000

async function failingAfter(reason: Promise<unknown>): Promise<never> {
  throw await reason
}

/** A connection that lived longer than this was good: the next loss is the first one again. */
const LASTING_MS = 10_000
