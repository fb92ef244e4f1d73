import { LRUCache } from 'lru-cache'
import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** Counts attempts per key over the last while; between processes a shared store stands behind the same port. */
export interface RateLimiter {
  /** Takes one attempt, or says in how many seconds the next will be let through. */
  take(key: string): Promise<RateLimitAnswer>
}

/** A limiter of failures: a caller who succeeds in the end has their attempts back. */
export interface FailureLimiter extends RateLimiter {
  /** Attempts of this key no longer count. */
  forget(key: string): Promise<void>
}

export type RateLimitAnswer =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly retryAfterSeconds: number }

export interface RateLimit {
  readonly attempts: number
  readonly windowMs: number
}

/** All critical routes together, per client address (console-api 1.6). */
export const CRITICAL_LIMIT: RateLimit = { attempts: 20, windowMs: 1_200_000 }

/** Wrong passwords for one name or e-mail from one address: as many as the critical limit allows the address in all. */
export const SIGN_IN_LIMIT: RateLimit = { attempts: 20, windowMs: 1_200_000 }

/**
 * Passwords tried for one name or e-mail from all addresses together, right ones too: so many that no address alone can
 * keep an owner out, so few that many addresses guess little in a year. Many addresses that do keep out only browsers
 * without an earlier sign-in under that name (known-browsers.ts).
 */
export const NAME_SIGN_IN_LIMIT: RateLimit = { attempts: 200, windowMs: 1_200_000 }

/** Wrong passwords of users who are signed in already, by account. */
export const OWN_PASSWORD_LIMIT: RateLimit = { attempts: 20, windowMs: 1_200_000 }

/** Mails with a code to one address: a user who waits for one asks again some times, and no mailbox is flooded. */
export const CODE_MAIL_LIMIT: RateLimit = { attempts: 10, windowMs: 3_600_000 }

/** Addresses remembered at once; the ones not seen for longest are forgotten first. */
const KEYS_MAX = 50_000

/** A sliding window in this process's memory: exact, because it keeps the moment of every attempt. */
export function slidingWindowLimiter(
  limit: RateLimit,
  clock: Pick<Clock, 'monotonicMs'>,
): FailureLimiter {
  let kept: LRUCache<string, number[]> | null = null
  // Room for all keys is taken at once: not at a process's start, which makes several limiters.
  const attemptsByKey = () => (kept ??= new LRUCache({ max: KEYS_MAX }))
  return {
    take(key) {
      const now = clock.monotonicMs()
      const attempts = (attemptsByKey().get(key) ?? []).filter((at) => at > now - limit.windowMs)
      attemptsByKey().set(key, attempts)
      const oldest = attempts[0]
      if (oldest !== undefined && attempts.length >= limit.attempts) {
        const waitMs = oldest + limit.windowMs - now
        return Promise.resolve({ isAllowed: false, retryAfterSeconds: Math.ceil(waitMs / 1000) })
      }
      attempts.push(now)
      return Promise.resolve({ isAllowed: true })
    },
    forget(key) {
      attemptsByKey().delete(key)
      return Promise.resolve()
    },
  }
}
