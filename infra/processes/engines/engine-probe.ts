import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type EventStore, ReadDenied } from '@tollgate/domain/ports/event-store.ts'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { LogHealth } from '../../event-store/auditable-store.ts'

/** How long an answer stands, so that frequent questions cost it nothing. */
const STANDS_MS = 2_000
/** An engine that takes longer than this to answer cannot serve. */
const PATIENCE_MS = 1_500
const LATE_ANSWERS_BORNE = 1

/** The part of the runtime that a probe needs besides the engine. */
export interface ProbeRuntime {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly logger: Pick<Logger, 'warn'>
}

/** How patient a probe is. */
interface ProbeTimes {
  readonly patienceMs?: number
  readonly standsMs?: number
  /** The message of a failed probe. Default: that the engine does not answer. */
  readonly refusal?: string
}

/**
 * Asks an engine whether it answers; null when it does, else which does not: whoever asks may be anybody, so where it
 * lies and what exactly it said is in the log alone. Concurrent questions share one answer. An engine that answered
 * before may be late once: that happens under load, and whoever is told takes the process out of service.
 */
export function engineProbe(
  name: string,
  question: () => Promise<unknown>,
  { clock, logger }: ProbeRuntime,
  {
    patienceMs = PATIENCE_MS,
    standsMs = STANDS_MS,
    refusal = `${name} does not answer`,
  }: ProbeTimes = {},
): () => Promise<string | null> {
  let asked: Promise<string | null> | null = null
  let askedAt = 0
  /** One after the other since it last answered well; it has not at first. */
  let lateAnswers = Number.POSITIVE_INFINITY
  let isFailing = false

  async function ask(): Promise<string | null> {
    const { isLate, reason, err } = await answerOf(name, question, patienceMs, refusal)
    if (err !== undefined && !isFailing) logger.warn({ err }, refusal)
    isFailing = err !== undefined
    if (reason === null) lateAnswers = 0
    else lateAnswers = isLate ? lateAnswers + 1 : Number.POSITIVE_INFINITY
    return lateAnswers <= LATE_ANSWERS_BORNE ? null : reason
  }

  return () => {
    const now = clock.monotonicMs()
    if (asked === null || now - askedAt >= standsMs) {
      askedAt = now
      asked = ask()
    }
    return asked
  }
}

/**
 * Whether the event log says where it ends, for a process that writes nothing into it of which others depend. One that
 * refuses new calls alone is a warning, as long as this process still follows it.
 */
export function storeProbe(
  store: Pick<EventStore, 'headPosition'> & Pick<LogHealth, 'followProblem'>,
  runtime: ProbeRuntime,
  patienceMs = PATIENCE_MS,
): () => Promise<string | null> {
  const question = async (): Promise<void> => {
    try {
      await store.headPosition()
    } catch (error) {
      if (!(error instanceof ReadDenied)) throw error
    }
  }
  const probe = engineProbe('the event log', question, runtime, { patienceMs })
  return async () => store.followProblem() ?? (await probe())
}

/** A durable write is slower than a read, and is not repeated more often than this however often it is asked for. */
const WRITES = { patienceMs: 4_000, standsMs: 5_000 } as const

/** Whether the event log takes writes: what the last append said, and a write of the probe's own. */
export function logWriteProbe(
  store: LogHealth,
  runtime: ProbeRuntime,
): () => Promise<string | null> {
  const probe = engineProbe('the event log', () => store.proveWrite(), runtime, WRITES)
  return async () => {
    const problem = store.appendProblem() ?? store.followProblem()
    if (problem !== null) return problem
    const reason = await probe()
    // The probe's own write may have met what appends would meet, in better words.
    return reason === null ? null : (store.appendProblem() ?? reason)
  }
}

/** Whether NATS stores what is published. */
export const journalWriteProbe = (
  journal: { proveWrite(): Promise<void> },
  runtime: ProbeRuntime,
): (() => Promise<string | null>) =>
  engineProbe('JetStream', () => journal.proveWrite(), runtime, WRITES)

/**
 * Whether the disk of the data folder takes a file of 64 KiB: the embedded PostgreSQL may still write for a while, and
 * charges that wait are spooled there.
 */
export const diskWriteProbe = (
  dataDir: string,
  runtime: ProbeRuntime,
): (() => Promise<string | null>) =>
  engineProbe('the disk of DATA_DIR', () => proveDiskWrite(dataDir), runtime, {
    ...WRITES,
    refusal: 'the disk of DATA_DIR takes no writes: free space on it, or mend it',
  })

const PROBE_BYTES = 64 * 1024

async function proveDiskWrite(dataDir: string): Promise<void> {
  // Several processes may have the same folder.
  const path = join(dataDir, `write-probe-${process.pid}`)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, randomBytes(PROBE_BYTES), { flush: true, mode: 0o600 })
  } finally {
    await rm(path, { force: true })
  }
}

/** Whether PostgreSQL answers; with the event log elsewhere nothing else would tell. */
export const databaseProbe = (pool: Pool, runtime: ProbeRuntime): (() => Promise<string | null>) =>
  engineProbe('PostgreSQL', () => pool.query('select 1'), runtime)

async function answerOf(
  name: string,
  ask: () => Promise<unknown>,
  patienceMs: number,
  refusal: string,
): Promise<EngineAnswer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<EngineAnswer>((resolve) => {
    const reason = `${name} did not answer within ${patienceMs} ms`
    timer = setTimeout(() => resolve({ isLate: true, reason }), patienceMs)
  })
  try {
    return await Promise.race([ask().then(() => ANSWERED), late])
  } catch (err) {
    return { isLate: false, reason: refusal, err }
  } finally {
    clearTimeout(timer)
  }
}

interface EngineAnswer {
  readonly isLate: boolean
  /** Null when it answered. */
  readonly reason: string | null
  /** The error that it failed with, when it did. */
  readonly err?: unknown
}

const ANSWERED: EngineAnswer = { isLate: false, reason: null }
