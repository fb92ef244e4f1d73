import type { TokenId, UserId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import {
  type Reservation,
  type DrawnQuota,
  type DrawResult,
  type LackOfQuota,
  lacksQuota,
} from './reservation.ts'

/** How long a request waits for running requests of its account to end (architecture 6, rule 6). */
const QUOTA_WAIT_MS = 2_000
/** One account's requests that wait at once: enough for a burst of 200, and no more bodies kept in memory than that. */
const WAITING_PER_ACCOUNT_MAX = 256
/** The limit over all accounts; one more is refused at once. */
const WAITING_MAX = 4_096
/**
 * Quota that comes free in this relay is offered at once; for quota that comes free elsewhere the owner is asked this
 * often.
 */
const ASK_AGAIN_MS = [50, 100, 200] as const
const ASK_AGAIN_LATER_MS = 200
/** A refusal for lack of quota holds for all who need as much, for so long. */
const LACK_IS_FRESH_MS = 50

/** A request that may wait for quota. */
export interface QueuedRequest {
  readonly account: UserId
  /** Null for the playground. */
  readonly token: TokenId | null
  readonly estimate: Quota
  /** Aborts when the request waits for the answer no more. */
  readonly signal: AbortSignal
  /** Whether it may start now, were there quota for it. */
  mayStart(): boolean
  /** Called in the moment in which it gets its quota. */
  onStart(): void
}

/** Where the queue has its quota from. */
export interface QuotaSource {
  /** Out of the holds in memory; null when they are not enough. */
  drawHeld(account: UserId, token: TokenId | null, estimate: Quota): Reservation | null
  /** Asks the account's owner where memory is not enough. */
  draw(account: UserId, token: TokenId | null, estimate: Quota): DrawResult | Promise<DrawResult>
}

interface Waiter {
  readonly request: QueuedRequest
  readonly until: number
  /** The newest answer of the owner. */
  lack: LackOfQuota
  /** It has been answered. */
  isOver: boolean
  answer(result: DrawResult): void
  fail(error: unknown): void
}

interface FreshLack {
  readonly lack: LackOfQuota
  readonly at: number
}

/**
 * Requests that wait only for running requests of their own account. Quota that comes free is offered to those of an
 * account in the order in which they came. A request that needs more is passed over, so that a large one stops none.
 * Each is refused when its time is up, after a last question, and forgotten when its client leaves. Several relays each
 * have a queue; they share quota that comes free as they ask.
 */
export class QuotaQueue {
  readonly #source: QuotaSource
  readonly #clock: Clock
  readonly #accounts = new Map<UserId, Waiter[]>()
  #waiting = 0

  constructor(source: QuotaSource, clock: Clock) {
    this.#source = source
    this.#clock = clock
  }

  /** Resolves with quota, or with the newest refusal once waiting is of no use. `lack` is the refusal it just got. */
  wait(request: QueuedRequest, lack: LackOfQuota): Promise<DrawResult> {
    const waiters = this.#accounts.get(request.account) ?? []
    const isFull = waiters.length >= WAITING_PER_ACCOUNT_MAX || this.#waiting >= WAITING_MAX
    if (isFull || request.signal.aborted || !isWorthWaiting(request, lack)) {
      return Promise.resolve(lack)
    }
    return new Promise((resolve, reject) => {
      const until = this.#clock.monotonicMs() + QUOTA_WAIT_MS
      const end = (): boolean => {
        if (waiter.isOver) return false
        waiter.isOver = true
        this.#waiting -= 1
        request.signal.removeEventListener('abort', leave)
        waiters.splice(waiters.indexOf(waiter), 1)
        return true
      }
      const waiter: Waiter = {
        request,
        until,
        lack,
        isOver: false,
        answer(result) {
          if (!end()) return
          if (result.status === 'drawn') request.onStart()
          resolve(result)
        },
        fail: (error) => void (end() && reject(error)),
      }
      const leave = (): void => waiter.answer(waiter.lack)
      request.signal.addEventListener('abort', leave)
      this.#waiting += 1
      waiters.push(waiter)
      if (waiters.length > 1) return
      this.#accounts.set(request.account, waiters)
      void this.#serve(request.account, waiters)
    })
  }

  /** To be called when quota of an account has come free in this relay, or one of its requests has ended. */
  offer(account: UserId): void {
    for (const waiter of (this.#accounts.get(account) ?? []).slice()) {
      const { token, estimate } = waiter.request
      if (waiter.isOver || !waiter.request.mayStart()) continue
      const reservation = this.#source.drawHeld(account, token, estimate)
      if (reservation !== null) waiter.answer({ status: 'drawn', reservation })
    }
  }

  async #serve(account: UserId, waiters: readonly Waiter[]): Promise<void> {
    for (let round = 0; waiters.length > 0; round++) {
      const now = this.#clock.monotonicMs()
      const firstEnd = Math.min(...waiters.map(({ until }) => until))
      const pauseMs = ASK_AGAIN_MS[round] ?? ASK_AGAIN_LATER_MS
      await this.#clock.sleep(Math.min(pauseMs, Math.max(0, firstEnd - now)))
      await this.#askFor([...waiters])
    }
    this.#accounts.delete(account)
  }

  /** Asks on behalf of each in turn, but for those who need more than was refused to another just now. */
  async #askFor(waiters: readonly Waiter[]): Promise<void> {
    const lacks = new Map<TokenId | null | 'account', FreshLack>()
    for (const waiter of waiters) {
      if (waiter.isOver) continue
      const { token, estimate } = waiter.request
      const known = [lacks.get('account'), lacks.get(token)].find(
        (fresh) => fresh !== undefined && this.#isFresh(fresh) && fresh.lack.available < estimate,
      )
      const asked =
        known === undefined && waiter.request.mayStart() ? await this.#ask(waiter) : null
      const now = this.#clock.monotonicMs()
      if (asked !== null) {
        const key = asked.reason === 'insufficient-quota' ? 'account' : token
        lacks.set(key, { lack: asked, at: now })
      }
      waiter.lack = asked ?? known?.lack ?? waiter.lack
      if (now >= waiter.until || !isWorthWaiting(waiter.request, waiter.lack)) {
        waiter.answer(waiter.lack)
      }
    }
  }

  #isFresh({ at }: FreshLack): boolean {
    return this.#clock.monotonicMs() - at < LACK_IS_FRESH_MS
  }

  /** One question to the owner; answers the lack of quota, null when the owner answers otherwise. */
  async #ask(waiter: Waiter): Promise<LackOfQuota | null> {
    const { account, token, estimate } = waiter.request
    try {
      const result = await this.#source.draw(account, token, estimate)
      if (lacksQuota(result)) return result
      if (result.status !== 'drawn') waiter.answer(result)
      else this.#giveToFirst(waiter.request, result)
    } catch (error) {
      waiter.fail(error)
    }
    return null
  }

  /**
   * To the first in turn that it suffices for: what was refused it a moment ago may be there now, and the one that it
   * was asked for may have been served meanwhile, or have left.
   */
  #giveToFirst({ account, token, estimate }: QueuedRequest, drawn: DrawnQuota): void {
    const first = this.#accounts
      .get(account)
      ?.find(
        ({ request }) =>
          request.token === token && request.estimate <= estimate && request.mayStart(),
      )
    if (first === undefined) drawn.reservation.release()
    else first.answer(drawn)
  }
}

/** Nothing that running requests give back can make up for a balance that is too small. */
const isWorthWaiting = ({ estimate }: QueuedRequest, { balance }: LackOfQuota): boolean =>
  balance >= estimate
