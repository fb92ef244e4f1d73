import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { endLeftovers } from './leftover-processes.ts'
import type { Server, ServerOptions } from './server.ts'
import { startServer } from './server.ts'

/** Whether queries can be answered; `reason` is fit for an operator. */
export type PostgresState =
  | { readonly status: 'ready' }
  | { readonly status: 'restarting'; readonly reason: string }
  | { readonly status: 'stopped' }

/** A server that is started again whenever it ends without being told to, on the same port. */
export interface SupervisedServer {
  state(): PostgresState
  onStateChange(listener: (state: PostgresState) => void): () => void
  stop(): Promise<void>
}

/** Throws EmbeddedPostgresFailure when the first start fails; later ones are repeated until they succeed or `stop`. */
export async function superviseServer(
  options: Omit<ServerOptions, 'onAvailability'>,
): Promise<SupervisedServer> {
  const listeners = new Set<(state: PostgresState) => void>()
  let state: PostgresState = { status: 'restarting', reason: 'PostgreSQL is starting' }
  const change = (next: PostgresState): void => {
    state = next
    for (const listener of listeners) listener(next)
  }
  const start = (): Promise<Server> =>
    startServer({
      ...options,
      onAvailability: (isAvailable) =>
        change(
          isAvailable ? { status: 'ready' } : { status: 'restarting', reason: sessionCrashed },
        ),
    })

  const stopping = new AbortController()
  let server = await start()
  const watching = watch()

  async function watch(): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const calm = setTimeout(() => (attempt = 0), calmMs).unref()
      const failure = await server.ended
      clearTimeout(calm)
      if (stopping.signal.aborted) return
      change({ status: 'restarting', reason: failure.message })
      options.log.warn(failure.message)
      const restarted = await restart(attempt)
      if (restarted === null) return
      server = restarted
      if (stopping.signal.aborted) return
    }
  }

  /** Null when told to stop meanwhile. */
  async function restart(firstAttempt: number): Promise<Server | null> {
    for (let attempt = firstAttempt; ; attempt += 1) {
      await sleep(backOffMs(attempt, AGAIN), undefined, { signal: stopping.signal }).catch(
        ignoreAbort,
      )
      if (stopping.signal.aborted) return null
      try {
        await endLeftovers(options.clusterFolder, options.log)
        return await start()
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        change({ status: 'restarting', reason })
        options.log.warn(`PostgreSQL could not be restarted, trying again: ${reason}`)
      }
    }
  }

  return {
    state: () => state,
    onStateChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async stop() {
      stopping.abort()
      await server.stop()
      await watching
      // A restart may have been under way: then there is a newer server than the one just stopped.
      await server.stop()
      change({ status: 'stopped' })
    },
  }
}

const sessionCrashed =
  'a PostgreSQL session crashed; PostgreSQL is recovering and will be back in a moment'

/** A server that has run this long has come back for good: the next trouble starts with a short pause again. */
const calmMs = 30_000

/** At once, then 100 ms, doubling up to 5 s: a full disk may stay full for hours. */
const AGAIN: BackOff = { firstMs: 100, mostMs: 5_000 }

/** The pause ends early when told to stop, which the caller sees by the signal. */
function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error
}
