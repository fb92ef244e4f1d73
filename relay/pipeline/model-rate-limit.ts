import type { UserId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { LRUCache } from 'lru-cache'
import type { RateLimitSettings } from '../directory/facts.ts'
import { type Refusal, refusal } from '../refusal.ts'

/** Users whose recent requests are remembered; beyond it the quietest start afresh. */
const USERS_MAX = 50_000

/** Requests of one user within a short while: all that were admitted, and those that were answered. */
export interface RequestCount {
  readonly requests: number
  readonly successes: number
}

/**
 * How many model requests a user may make in a window (seeds, rate limits): all of them, and those that succeed.
 * Several relays exchange their counts (`takeUntold`, `hear`), now and then and off the request's path. Together they
 * let through the limit and the requests that arrive between two exchanges.
 */
export class ModelRateLimiter {
  readonly #clock: Clock
  readonly #users = new LRUCache<UserId, Recent>({ max: USERS_MAX })
  /** Counts of this relay that others have not received yet; null while no other relay wants them. */
  #untold: Map<UserId, { requests: number; successes: number }> | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a request; a Refusal (429 with Retry-After) when the user has had enough. The group's own limits win. */
  admit(user: UserId, group: string, settings: RateLimitSettings | null): Refusal | null {
    if (settings === null) return null
    const [total, successes] = settings.groups.get(group) ?? [settings.total, settings.successes]
    if (total === 0 && successes === 0) return null
    const now = this.#clock.monotonicMs()
    const since = now - settings.windowMs
    const recent = this.#recentOf(user)
    forget(recent.requests, since)
    forget(recent.successes, since)
    const { windowMinutes } = settings
    if (total > 0 && recent.requests.length >= total) {
      const text = `您已达到总请求数限制：${windowMinutes}分钟内最多请求${total}次，包括失败次数，请检查您的请求是否正确`
      return tooMany(text, recent.requests, total, since)
    }
    if (total > 0) {
      recent.requests.push(now)
      this.#note(user, 'requests')
    }
    if (successes > 0 && recent.successes.length >= successes) {
      const text = `您已达到请求数限制：${windowMinutes}分钟内最多请求${successes}次`
      return tooMany(text, recent.successes, successes, since)
    }
    return null
  }

  /** Counts a request that was answered. */
  succeeded(user: UserId, settings: RateLimitSettings | null): void {
    if (settings === null) return
    this.#recentOf(user).successes.push(this.#clock.monotonicMs())
    this.#note(user, 'successes')
  }

  /** Requests counted here since the last call; from the first call on, counts are kept for the next. */
  takeUntold(): ReadonlyMap<UserId, RequestCount> {
    const untold = this.#untold ?? new Map<UserId, RequestCount>()
    this.#untold = new Map()
    return untold
  }

  /** Counts the requests that another relay has let through as if they had happened here just now. */
  hear(
    counts: Iterable<readonly [UserId, RequestCount]>,
    settings: RateLimitSettings | null,
  ): void {
    if (settings === null) return
    const now = this.#clock.monotonicMs()
    for (const [user, { requests, successes }] of counts) {
      const recent = this.#recentOf(user)
      // A user who never comes here would have nothing forgotten otherwise.
      forget(recent.requests, now - settings.windowMs)
      forget(recent.successes, now - settings.windowMs)
      for (let i = 0; i < requests; i++) recent.requests.push(now)
      for (let i = 0; i < successes; i++) recent.successes.push(now)
    }
  }

  #note(user: UserId, what: keyof RequestCount): void {
    if (this.#untold === null) return
    const count = this.#untold.get(user) ?? { requests: 0, successes: 0 }
    count[what] += 1
    this.#untold.set(user, count)
  }

  #recentOf(user: UserId): Recent {
    const known = this.#users.get(user)
    if (known !== undefined) return known
    const made: Recent = { requests: [], successes: [] }
    this.#users.set(user, made)
    return made
  }
}

/** Moments, oldest first. */
interface Recent {
  readonly requests: number[]
  readonly successes: number[]
}

function forget(moments: number[], since: number): void {
  const kept = moments.findIndex((moment) => moment > since)
  if (kept === -1) moments.length = 0
  else if (kept > 0) moments.splice(0, kept)
}

function tooMany(
  message: string,
  moments: readonly number[],
  limit: number,
  since: number,
): Refusal {
  const leaves = moments[moments.length - limit] ?? since
  const retryAfterSeconds = Math.max(1, Math.ceil((leaves - since) / 1_000))
  return refusal(429, 'rate_limit_exceeded', message, { retryAfterSeconds })
}
