import {
  type FailureLimiter,
  type RateLimit,
  type RateLimitAnswer,
  slidingWindowLimiter,
} from '@tollgate/command-api/identity/rate-limiter.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Pool } from 'pg'
import { z } from 'zod'

/** A database that answers later than this is passed over: the limiter must not be what makes a sign-in slow. */
const ANSWER_TIMEOUT_MS = 1_000

export interface PostgresRateLimiterOptions {
  readonly pool: Pool
  readonly limit: RateLimit
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly logger: { warn(details: object, message: string): void }
}

/**
 * A sliding window that all processes on one database share: one statement an attempt, exact, by the database's clock.
 * Attempts are counted in this process too, and that count decides while the database is unavailable: somebody may then
 * have as many attempts at each process, which is still a limit.
 */
export function postgresRateLimiter(options: PostgresRateLimiterOptions): FailureLimiter {
  const { pool, limit, clock, logger } = options
  const own = slidingWindowLimiter(limit, clock)
  let isUnavailable = false
  const ask = async (key: string): Promise<RateLimitAnswer> => {
    // pg takes a query's own time limit; its types do not know it.
    const query = {
      text: `select coordination.take_attempt($1, $2, $3::integer * interval '1 millisecond') as wait`,
      values: [key, limit.attempts, limit.windowMs],
      query_timeout: ANSWER_TIMEOUT_MS,
    }
    const { wait } = row.parse((await pool.query(query)).rows[0])
    return wait === 0
      ? { isAllowed: true }
      : { isAllowed: false, retryAfterSeconds: Math.ceil(wait / 1_000) }
  }
  return {
    async take(key) {
      const ownAnswer = await own.take(key)
      try {
        const answer = await ask(key)
        isUnavailable = false
        return answer
      } catch (err) {
        if (!isUnavailable)
          logger.warn({ err }, 'attempts are counted by each process alone meanwhile')
        isUnavailable = true
        return ownAnswer
      }
    },
    async forget(key) {
      await own.forget(key)
      await pool.query('delete from coordination.rate_windows where key = $1', [key])
    },
  }
}

const row = z.object({ wait: z.number() })
