// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { Worker } from 'node:worker_threads'
import { hasWaitingReplay } from '@tollgate/projections/replays/replay-table.ts'
import type { Pool } from 'pg'
import { repeating } from '../timers/repeating.ts'
import type { Runtime } from '../runtime.ts'
import type { ReplayNews, ReplayThreadConfig, ReplayThreadData } from './replay-thread.ts'
import { watchBusyShare } from './shared-pace.ts'

/** Runs the replays that wait, of this process and of others that ended, in a thread that lives as long as one waits. */
export interface ReplayQueue {
  /** One was queued: it starts now, unless one runs here already. */
  wake(): void
  /** Ends the one under way; it goes on at its checkpoint when a process is there again. */
  stop(): Promise<void>
}

/** How soon what another process left behind is found. */
const LOOK_EVERY_MS = 5_000
/** How long a thread may take to end after the page at hand. */
const STOP_MS = 5_000
/** Three semi-spaces of 4 MiB: pages of events die young, and more room for them is memory that is never needed. */
const YOUNG_MIB = 12

export function openReplayQueue(
  config: ReplayThreadConfig,
  pool: Pool,
  { logger }: Pick<Runtime, 'logger'>,
): ReplayQueue {
  let thread: { readonly worker: Worker; readonly ended: Promise<void> } | null = null
  let isWoken = false
  let isStopping = false

  function wake(): void {
    if (isStopping) return
    // Replays that are queued while the thread looks for the last time are looked for once more when it has ended.
    isWoken = thread !== null
    if (thread === null) start()
  }

  function start(): void {
    const busy = watchBusyShare()
    const worker = new Worker(new URL('./replay-thread.ts', import.meta.url), {
      name: 'replays',
      workerData: { ...config, busy: busy.share } satisfies ReplayThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    })
    worker.on('message', ({ level, fields, message }: ReplayNews) => logger[level](fields, message))
    worker.on('error', (err) => logger.error({ err }, 'replays: the thread ended; it starts again'))
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        busy.stop()
        thread = null
        resolve()
        if (isWoken) wake()
      })
    })
    thread = { worker, ended }
  }

  const looking = repeating(
    LOOK_EVERY_MS,
    async () => {
      if (thread === null && (await hasWaitingReplay(pool))) wake()
    },
    () => undefined,
  )
  return {
    wake,
    async stop() {
      isStopping = true
      await looking.stop()
      if (thread === null) return
      const { worker, ended } = thread
      const late = setTimeout(() => void worker.terminate(), STOP_MS)
      worker.postMessage('stop')
      await ended.finally(() => clearTimeout(late))
    },
  }
}
