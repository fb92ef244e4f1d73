import { flushCompileCache } from 'node:module'
import type { Logger } from 'pino'
import { type Config, ConfigInvalid, readConfig } from './config.ts'
import { TimelineChanged } from '@tollgate/command-api/timelines/log-watch.ts'
import { openLogger } from './logger.ts'
import { stopOnSignal } from './stop-signals.ts'
import { systemClock, systemEntropy, systemRandomness, type Runtime } from './runtime.ts'

/** Something that runs until it is stopped. */
export interface RunningProcess {
  /** Where it listens. */
  readonly url: string
  /** Null when it is ready, else why not; absent when others say so. */
  readonly readinessProblem?: () => Promise<string | null>
  /** Resolves with the reason when it must not go on; absent when there is no such reason. */
  readonly mustEnd?: Promise<Error>
  stop(): Promise<void>
}

/** The description of a process: how it is composed, and how long stopping it may take in all. */
export interface Workflow {
  /** As people are told: `Tollgate is ready at …`. */
  readonly title: string
  readonly stopMs: number
  /** Leaves it to the process that started this one to say that it is ready. */
  readonly isQuiet?: boolean
  readonly start: (config: Config, runtime: Runtime) => Promise<RunningProcess>
}

/**
 * Runs one kind of process: the environment is read here and nowhere else, a line says where it listens once it is
 * ready, SIGTERM stops it in order, also while it starts. A failed start is told in words that a person can act upon;
 * then it exits with 1.
 */
export async function runProcess(kind: Workflow): Promise<void> {
  const { title, stopMs, start, isQuiet = false } = kind
  const stopping = new AbortController()
  let standDown = (): void => undefined
  try {
    const config = readConfig(process.env)
    const logger = openLogger(config.logLevel)
    let starting = start(config, systemRuntime(logger, stopping.signal))
    standDown = stopOnSignal(stopMs, logger, async () => {
      stopping.abort()
      // A start that fails closes what it had opened.
      const running = await starting.catch(() => null)
      await running?.stop()
    })
    for (;;) {
      const running = await starting
      const ended = new AbortController()
      const over = AbortSignal.any([ended.signal, stopping.signal])
      if (!isQuiet) {
        announce(title, running, over, (line) => process.stdout.write(line))
          // Once it serves, not when it ends: the next start finds compiled modules even after a kill.
          .then(flushCompileCache)
          .catch((err: unknown) =>
            logger.warn({ err }, 'whether this process is ready was not found out'),
          )
      }
      const reason = await running.mustEnd
      ended.abort()
      if (reason === undefined || stopping.signal.aborted) return
      if (!(reason instanceof TimelineChanged)) {
        // Thrown where nobody catches it: the same orderly end, and an exit code that says that it was not wanted.
        setImmediate(() => raise(reason))
        return
      }
      logger.warn({ reason: reason.message }, `${title} starts anew`)
      // Parts that were closed without a fault are opened again; nothing in memory outlives it.
      starting = running.stop().then(() => start(config, systemRuntime(logger, stopping.signal)))
    }
  } catch (error) {
    if (stopping.signal.aborted) return
    standDown()
    process.stderr.write(`${title} cannot start.\n${reasonOf(error)}\n`)
    process.exit(1)
  }
}

/** How often a process that is not ready yet is asked again. */
const ASK_AGAIN_MS = 250

/** Says that a process is ready when it is, and before that, once, why it is not yet. */
export async function announce(
  title: string,
  { url, readinessProblem }: Pick<RunningProcess, 'url' | 'readinessProblem'>,
  ended: AbortSignal,
  say: (line: string) => unknown,
): Promise<void> {
  for (let isTold = false; !ended.aborted; isTold = true) {
    const reason = (await readinessProblem?.()) ?? null
    if (ended.aborted) return
    if (reason === null) {
      say(`${title} is ready at ${url}\n`)
      return
    }
    if (!isTold) say(`${title} listens at ${url} and is not ready yet: ${reason}\n`)
    await systemClock.sleep(ASK_AGAIN_MS, ended)
  }
}

const raise = (error: Error): never => {
  throw error
}

const systemRuntime = (logger: Logger, stopping: AbortSignal): Runtime => ({
  clock: systemClock,
  randomness: systemRandomness,
  entropy: systemEntropy,
  logger,
  stopping,
})

/** An error that a person can act upon stands alone; the unexpected comes with its trace. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConfigInvalid) return error.message
  if (error instanceof Error && 'code' in error && 'retryable' in error) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
