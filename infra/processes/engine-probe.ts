import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Pool } from 'pg'

/** How long an answer stands, so that frequent questions cost it nothing. */
const STANDS_MS = 2_000
/** An engine that takes longer than this to answer cannot serve. */
const PATIENCE_MS = 1_500

/** Asks an engine whether it answers; null when it does, else why not. Concurrent questions share one answer. */
export function engineProbe(
  name: string,
  ask: () => Promise<unknown>,
  clock: Pick<Clock, 'monotonicMs'>,
  patienceMs = PATIENCE_MS,
): () => Promise<string | null> {
  let asked: Promise<string | null> | null = null
  let askedAt = 0
  return () => {
    const now = clock.monotonicMs()
    if (asked === null || now - askedAt >= STANDS_MS) {
      askedAt = now
      asked = whyNoAnswer(name, ask, patienceMs)
    }
    return asked
  }
}

/** Whether the event log says where it ends. */
export const storeProbe = (
  store: Pick<EventStore, 'headPosition'>,
  clock: Pick<Clock, 'monotonicMs'>,
  patienceMs?: number,
): (() => Promise<string | null>) =>
  engineProbe('the event log', () => store.headPosition(), clock, patienceMs)

/** Whether PostgreSQL answers; with the event log elsewhere nothing else would tell. */
export const databaseProbe = (
  pool: Pool,
  clock: Pick<Clock, 'monotonicMs'>,
): (() => Promise<string | null>) => engineProbe('PostgreSQL', () => pool.query('select 1'), clock)

async function whyNoAnswer(
  name: string,
  ask: () => Promise<unknown>,
  patienceMs: number,
): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    const text = `${name} did not answer within ${patienceMs} ms`
    timer = setTimeout(() => resolve(text), patienceMs)
  })
  try {
    return await Promise.race([ask().then(() => null), late])
  } catch (error) {
    return `${name} does not answer: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    clearTimeout(timer)
  }
}
