import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Pool } from 'pg'
import type { Logger } from 'pino'

/** How long an answer stands, so that frequent questions cost it nothing. */
const STANDS_MS = 2_000
/** An engine that takes longer than this to answer cannot serve. */
const PATIENCE_MS = 1_500
const LATE_ANSWERS_BORNE = 1

/** What a probe needs besides the engine. */
export interface ProbeWorld {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly logger: Pick<Logger, 'warn'>
}

/**
 * Asks an engine whether it answers; null when it does, else which does not: whoever asks may be anybody, so where it
 * lies and what exactly it said is in the log alone. Concurrent questions share one answer. An engine that answered
 * before may be late once: that happens under load, and whoever is told takes the process out of service.
 */
export function engineProbe(
  name: string,
  question: () => Promise<unknown>,
  { clock, logger }: ProbeWorld,
  patienceMs = PATIENCE_MS,
): () => Promise<string | null> {
  let asked: Promise<string | null> | null = null
  let askedAt = 0
  /** One after the other since it last answered well; it has not at first. */
  let lateAnswers = Number.POSITIVE_INFINITY
  let isFailing = false

  async function ask(): Promise<string | null> {
    const { isLate, reason, err } = await answerOf(name, question, patienceMs)
    if (err !== undefined && !isFailing) logger.warn({ err }, `${name} does not answer`)
    isFailing = err !== undefined
    if (reason === null) lateAnswers = 0
    else lateAnswers = isLate ? lateAnswers + 1 : Number.POSITIVE_INFINITY
    return lateAnswers <= LATE_ANSWERS_BORNE ? null : reason
  }

  return () => {
    const now = clock.monotonicMs()
    if (asked === null || now - askedAt >= STANDS_MS) {
      askedAt = now
      asked = ask()
    }
    return asked
  }
}

/** Whether the event log says where it ends. */
export const storeProbe = (
  store: Pick<EventStore, 'headPosition'>,
  world: ProbeWorld,
  patienceMs?: number,
): (() => Promise<string | null>) =>
  engineProbe('the event log', () => store.headPosition(), world, patienceMs)

/** Whether PostgreSQL answers; with the event log elsewhere nothing else would tell. */
export const databaseProbe = (pool: Pool, world: ProbeWorld): (() => Promise<string | null>) =>
  engineProbe('PostgreSQL', () => pool.query('select 1'), world)

async function answerOf(
  name: string,
  ask: () => Promise<unknown>,
  patienceMs: number,
): Promise<EngineAnswer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<EngineAnswer>((resolve) => {
    const reason = `${name} did not answer within ${patienceMs} ms`
    timer = setTimeout(() => resolve({ isLate: true, reason }), patienceMs)
  })
  try {
    return await Promise.race([ask().then(() => ANSWERED), late])
  } catch (err) {
    return { isLate: false, reason: `${name} does not answer`, err }
  } finally {
    clearTimeout(timer)
  }
}

interface EngineAnswer {
  readonly isLate: boolean
  /** Null when it answered. */
  readonly reason: string | null
  /** What it failed with, when it did. */
  readonly err?: unknown
}

const ANSWERED: EngineAnswer = { isLate: false, reason: null }
