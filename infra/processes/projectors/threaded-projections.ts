// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { Worker } from 'node:worker_threads'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { RunnerLogger } from '@tollgate/projections/runner/logger.ts'
import {
  type ProjectionRunner,
  type RunnerStatus,
  waitForCheckpoints,
} from '@tollgate/projections/runner/runner.ts'
import { createWaiters } from '@tollgate/projections/runner/waiters.ts'
import type { Pool } from 'pg'
import type { ProjectorConfig } from './compose-projector.ts'
import type { ProjectorNews, ProjectorOrder } from './projector-thread.ts'

export interface ThreadedProjectionsOptions {
  readonly config: ProjectorConfig
  /** For looking at checkpoints while the thread cannot tell. */
  readonly pool: Pool
  readonly clock: Clock
  readonly logger: RunnerLogger
  /** Starts the thread; default: `projector-thread.ts`. */
  readonly openWorker?: (config: ProjectorConfig) => Worker
}

/** Projectors in a thread of their own, seen from the thread that serves requests. */
export interface ThreadedProjections extends ProjectionRunner {
  /** Null while the thread lives, else what happened to it. */
  readinessProblem(): string | null
}

/** The pauses before a thread that died is started again: doubling from the first to the last. */
const RESTART: BackOff = { firstMs: 200, mostMs: 30_000 }
/** A thread that lived this long had nothing wrong with it from the start: the next pause is the first again. */
const LASTING_MS = 60_000
/** How long a thread may take to end after the batches at hand. */
const STOP_MS = 5_000

const NOTHING_KNOWN: RunnerStatus = {
  state: 'starting',
  isCaughtUp: false,
  projectors: [],
  unknownEvents: {},
}

/**
 * Runs the projectors in a worker thread, so that their work never holds up a request, and starts the thread again
 * whenever it dies. `start` fails when the very first thread does not come up.
 */
export function threadedProjections(options: ThreadedProjectionsOptions): ThreadedProjections {
  const { config, pool, clock, logger, openWorker = openThread } = options
  const ending = new AbortController()
  let status = NOTHING_KNOWN
  let thread: Thread | null = null
  let trouble: string | null = null
  let watching: Promise<void> = Promise.resolve()
  const waiters = createWaiters(
    (name) => status.projectors.find((one) => one.name === name),
    () => thread?.hurry(),
  )

  function hear(news: ProjectorNews): void {
    if (news.type === 'log') {
      logger[news.level](news.fields, news.message)
    } else if (news.type === 'status') {
      status = news.status
      waiters.check()
    } else {
      trouble = null
    }
  }

  async function start(): Promise<void> {
    thread = supervised(openWorker(config), hear)
    await thread.started
    watching = keepRunning(thread)
  }

  async function keepRunning(first: Thread): Promise<void> {
    let failures = 0
    for (let current = first; ; thread = current = supervised(openWorker(config), hear)) {
      const startedMs = clock.monotonicMs()
      const reason = await current.ended
      if (ending.signal.aborted) return
      status = { ...status, state: 'starting', isCaughtUp: false }
      failures = clock.monotonicMs() - startedMs > LASTING_MS ? 1 : failures + 1
      const pauseMs = backOffMs(failures, RESTART)
      trouble = "the projectors' thread ended and is started again"
      logger.error({ err: reason, pauseMs }, "the projectors' thread ended; it is started again")
      await clock.sleep(pauseMs, ending.signal)
      if (ending.signal.aborted) return
    }
  }

  return {
    start,
    status: () => status,
    readinessProblem: () => trouble,
    // While another process feeds one of them, or nobody does, the checkpoints are all there is to go by.
    waitFor: (names, position, timeoutMs) =>
      status.state === 'active' &&
      names.every((name) => status.projectors.some((one) => one.name === name))
        ? waiters.wait(names, position, timeoutMs)
        : waitForCheckpoints(pool, clock, { names, position, timeoutMs }),
    async stop() {
      ending.abort()
      await thread?.stop()
      await watching
      status = { ...status, state: 'stopped', isCaughtUp: false }
    },
  }
}

interface Thread {
  readonly started: Promise<void>
  /** Settles when the thread is gone, with why. */
  readonly ended: Promise<Error>
  /** A reader begins to wait for what was written last. */
  hurry(): void
  /** Asks it to end, ends it when it does not in time; resolves when it is gone. */
  stop(): Promise<void>
}

function supervised(worker: Worker, hear: (news: ProjectorNews) => void): Thread {
  let failure: Error | null = null
  worker.on('message', hear)
  worker.on('error', (error) => {
    failure = error instanceof Error ? error : new Error(String(error))
  })
  const ended = new Promise<Error>((resolve) => {
    worker.once('exit', (code) => resolve(failure ?? new Error(`it exited with code ${code}`)))
  })
  const started = new Promise<void>((resolve, reject) => {
    worker.on('message', (news: ProjectorNews) => {
      if (news.type === 'started') resolve()
    })
    void ended.then(reject)
  })
  // Only the first thread's start is waited for.
  started.catch(() => undefined)
  return {
    started,
    ended,
    hurry: () => worker.postMessage('hurry' satisfies ProjectorOrder),
    async stop() {
      const late = setTimeout(() => void worker.terminate(), STOP_MS)
      worker.postMessage('stop' satisfies ProjectorOrder)
      await ended.finally(() => clearTimeout(late))
    },
  }
}

const openThread = (config: ProjectorConfig): Worker =>
  new Worker(new URL('./projector-thread.ts', import.meta.url), {
    name: 'projectors',
    workerData: config,
  })
