import type { RateLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { LRUCache } from 'lru-cache'

/** Keys whose refusal is remembered; of one forgotten the limiter is asked again. */
const KEYS_MAX = 50_000

/**
 * Asks a limiter no more about a key before the moment that it named itself: who goes on knocking costs nothing then.
 * Not for limiters that forget attempts before their time.
 */
export function rememberedRefusals(
  limiter: RateLimiter,
  clock: Pick<Clock, 'monotonicMs'>,
): RateLimiter {
  let kept: LRUCache<string, number> | null = null
  // Room for all keys is taken at once: not at a process's start.
  const refusedUntil = () => (kept ??= new LRUCache({ max: KEYS_MAX }))
  return {
    async take(key) {
      const waitMs = (refusedUntil().get(key) ?? 0) - clock.monotonicMs()
      if (waitMs > 0) return { isAllowed: false, retryAfterSeconds: Math.ceil(waitMs / 1000) }
      const answer = await limiter.take(key)
      if (answer.isAllowed) refusedUntil().delete(key)
      else refusedUntil().set(key, clock.monotonicMs() + answer.retryAfterSeconds * 1000)
      return answer
    },
  }
}
