import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Config } from './config.ts'
import type { RunningProcess } from './run-process.ts'
import type { Runtime } from './runtime.ts'

/** Pauses before a worker that died is started again: doubling, so that one that cannot start does not spin. */
const RESTART: BackOff = { firstMs: 200, mostMs: 30_000 }
/** A worker that lived this long had nothing wrong with it from the start. */
const LASTING_MS = 60_000

/**
 * Relays on several cores that share one port: this process starts them, starts again those that die, and stops them
 * all. Each is a relay of its own to the ledger's owners, with an id and holds of its own.
 */
export async function startRelayWorkers(config: Config, runtime: Runtime): Promise<RunningProcess> {
  const { clock, logger } = runtime
  const stopping = new AbortController()
  const workers = new Set<Worker>()
  const tellAll = (): void => {
    for (const worker of workers) worker.process.kill('SIGTERM')
  }
  const allEnded = (): Promise<unknown> =>
    Promise.all([...workers].map((worker) => once(worker, 'exit')))

  function fork(): Worker {
    const worker = cluster.fork()
    workers.add(worker)
    worker.once('exit', () => workers.delete(worker))
    return worker
  }

  async function keepRunning(first: Worker): Promise<void> {
    let failures = 0
    for (let worker = first; ; worker = fork()) {
      const startedMs = clock.monotonicMs()
      const [code, signal] = await once(worker, 'exit')
      if (stopping.signal.aborted) return
      failures = clock.monotonicMs() - startedMs > LASTING_MS ? 1 : failures + 1
      const pauseMs = backOffMs(failures, RESTART)
      logger.error({ code, signal, pauseMs }, 'a relay worker ended; it is started again')
      await clock.sleep(pauseMs, stopping.signal)
      if (stopping.signal.aborted) return
    }
  }

  const first = Array.from({ length: config.relayWorkers }, fork)
  // Told to stop before all listen, they end, and so does the wait for them.
  runtime.stopping?.addEventListener('abort', tellAll)
  const addresses = await Promise.all(first.map(listening))
    .catch(async (error: unknown) => {
      // One that listens has requests under way, which would be cut off with this process.
      tellAll()
      await allEnded()
      throw error
    })
    .finally(() => runtime.stopping?.removeEventListener('abort', tellAll))
  const running = Promise.all(first.map(keepRunning))
  return {
    url: addresses[0] ?? '',
    async stop() {
      stopping.abort()
      tellAll()
      await running
      await allEnded()
    },
  }
}

/**
 * Address at which a worker listens; fails when it ends before. The worker itself has printed what keeps it from
 * starting.
 */
async function listening(worker: Worker): Promise<string> {
  const ended = once(worker, 'exit').then(([code]) => {
    throw new WorkerEnded(`a relay worker ended with code ${String(code)} before it listened`)
  })
  const [address] = await Promise.race([once(worker, 'listening'), ended])
  ended.catch(() => undefined)
  return `http://${address.address}:${address.port}`
}

/** A worker could not start; its own words are above. */
class WorkerEnded extends Error {
  readonly code = 'WORKER_ENDED'
  readonly retryable = false
  constructor(message: string) {
    super(message)
    this.name = 'WorkerEnded'
  }
}
