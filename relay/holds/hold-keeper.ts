import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { HoldId, TokenId, UserId } from '@tollgate/domain/ids.ts'
import { elapsedMs, momentOf } from '@tollgate/domain/moment.ts'
import {
  type HoldRefusal,
  HoldOwnerUnavailable,
  type RecallListener,
} from '@tollgate/domain/ports/hold-owner.ts'
import type { UsageJournal } from '@tollgate/domain/ports/usage-journal.ts'
import {
  greater,
  lesser,
  minus,
  NO_QUOTA,
  plus,
  type Quota,
  quota,
} from '@tollgate/domain/quota.ts'
import type { ChargeSpool } from './charge-spool.ts'
import type { Reservation, DrawResult, LackOfQuota } from './reservation.ts'
import { type ReservationKeeper, HeldReservation } from './held-reservation.ts'
import { isLapsed, type LocalHold, type HoldPool, type Waiting } from './local-hold.ts'
import { OwnerQuestions, type OwnerQuestionsOptions, seenSoFar } from './owner-questions.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { type QueuedRequest, QuotaQueue, type QuotaSource } from './quota-queue.ts'
import { SpendRate } from './spend-rate.ts'
import { UsagePublisher } from './usage-publisher.ts'

/** Holds are sized to pay for this long at the recent rate of spending. */
const HOLD_COVERS_MS = 10_000
/** Below this much of the recent rate left, a hold is extended in the background. */
const EXTEND_BELOW_MS = 3_000
/** After a refused extension ahead of need, the next attempt waits. */
const EXTEND_AHEAD_PAUSE_MS = 1_000
/** A hold without a draw for this long is given back. */
const HOLD_IDLE_MS = 3_000
/**
 * A hold takes no new request after this time (architecture 11.5). The owner keeps the accepted numbers of a hold until
 * it ends, so a hold of a busy token must not stay open for ever.
 */
const HOLD_TAKES_REQUESTS_MS = 600_000
const CLAIM_EVERY_MS = 5_000
const TICK_MS = 1_000
/** How often a stopping relay looks whether all is settled. */
const STOP_LOOK_MS = 20
/** Charges that may wait for the journal before new requests are turned away. */
const UNSETTLED_CHARGES_MAX = 2_000
/** Requests that may wait for an owner, each with its body in memory, before further ones are turned away. */
const WAITING_MAX = 2_000
/** Once an owner has used up all patience, who comes within the time we name for trying again is turned away at once. */
const UNAVAILABLE_SECONDS = 2
const UNAVAILABLE: DrawResult = { status: 'unavailable', retryAfterSeconds: UNAVAILABLE_SECONDS }

export interface HoldKeeperOptions extends OwnerQuestionsOptions {
  readonly journal: UsageJournal
  /** Takes charges that the journal does not take in time. */
  readonly spool: ChargeSpool
  /**
   * Unix milliseconds for the facts that messages carry. Default: `clock`, by which holds live and lapse; where dates
   * are made up, as in the demo, the two are apart.
   */
  readonly now?: () => number
  /** How long a hold takes new requests; ten minutes unless a test is shorter. */
  readonly holdTakesRequestsMs?: number
  /**
   * Gets failures that should never happen: a bug here or at the owner ends no process, but an operator must see it.
   */
  readonly onFault: (error: unknown, what: string) => void
}

/**
 * The relay's side of holds (architecture 6). It draws from memory where a hold covers the request, asks the account's
 * owner where none does, extends ahead of need, claims the holds it works with, and gives back idle ones.
 */
export class HoldKeeper implements RecallListener, ReservationKeeper, QuotaSource {
  readonly #options: HoldKeeperOptions
  readonly #questions: OwnerQuestions
  readonly #publisher: UsagePublisher
  readonly #queue: QuotaQueue
  readonly #pools = new Map<string, HoldPool>()
  readonly #holds = new Set<LocalHold>()
  #claimedAt = 0
  #waiting = 0
  #lostCharges = 0
  #ticking: AbortController | null = null

  constructor(options: HoldKeeperOptions) {
    this.#options = options
    this.#questions = new OwnerQuestions(options)
    this.#publisher = new UsagePublisher(options)
    this.#queue = new QuotaQueue(this, options.clock)
  }

  /** Reserves `estimate` for one request of an account and token; without I/O when a hold in memory covers it. */
  draw(account: UserId, token: TokenId | null, estimate: Quota): DrawResult | Promise<DrawResult> {
    if (this.#publisher.waiting >= UNSETTLED_CHARGES_MAX) return UNAVAILABLE
    if (!this.#options.log.isTrusted()) return UNAVAILABLE
    const pool = this.#poolOf(account, token)
    const hold = this.#usableHold(pool)
    if (pool.waiting.length === 0 && hold !== null && hold.free >= estimate) {
      const reservation = this.#reserve(hold, estimate)
      this.#extendAhead(pool, hold)
      return { status: 'drawn', reservation }
    }
    const now = this.#options.clock.monotonicMs()
    if (this.#waiting >= WAITING_MAX || now < pool.unavailableUntil) return UNAVAILABLE
    return this.#wait(pool, estimate)
  }

  /**
   * For a request that `draw` has just refused for lack of quota: waits for running requests of its account, up to two
   * seconds, in the order in which they came. Answers at once when no running request is in its way.
   */
  drawOnceFreed(request: QueuedRequest, lack: LackOfQuota): Promise<DrawResult> {
    return this.#queue.wait(request, lack)
  }

  drawHeld(account: UserId, token: TokenId | null, estimate: Quota): Reservation | null {
    if (this.#publisher.waiting >= UNSETTLED_CHARGES_MAX) return null
    const hold = this.#usableHold(this.#poolOf(account, token))
    return hold !== null && hold.free >= estimate ? this.#reserve(hold, estimate) : null
  }

  async returnIdleQuota(account: UserId, except: HoldId | null): Promise<Quota> {
    let returned = NO_QUOTA
    const published: Promise<void>[] = []
    for (const hold of this.#holds) {
      if (hold.pool.account !== account || hold.id === except) continue
      if (hold.free <= 0 || hold.isFinalSent) continue
      const amount = hold.free
      hold.free = NO_QUOTA
      returned = plus(returned, amount)
      published.push(
        this.#publisher.publish({
          type: 'return',
          ...this.#numbered(hold),
          amount,
          at: this.#now(),
        }),
      )
    }
    await Promise.all(published)
    return returned
  }

  /** Begins claiming and giving back; ends with `stop`. */
  start(): void {
    if (this.#ticking !== null) return
    this.#ticking = new AbortController()
    void this.#tickUntil(this.#ticking.signal)
  }

  /**
   * Gives every hold back as its last request ends; resolves when all charges are in or the time is up. Charges that
   * the journal has not taken by then are in the spool.
   */
  async stop(withinMs: number): Promise<void> {
    this.#ticking?.abort()
    const { clock } = this.#options
    const until = clock.monotonicMs() + withinMs
    for (const hold of this.#holds) this.#retire(hold)
    const isBusy = (): boolean => this.#holds.size > 0 || this.#publisher.waiting > 0
    while (isBusy() && clock.monotonicMs() < until) await clock.sleep(STOP_LOOK_MS)
    this.handOver()
  }

  /** Writes every charge that the journal has not acknowledged to the spool, before this returns. */
  handOver(): void {
    this.#publisher.handOver()
  }

  /** The work of one moment: old charges spooled, claims every few seconds, idle holds given back, unused pools dropped. */
  tick(): void {
    this.#publisher.saveLate()
    const now = this.#options.clock.monotonicMs()
    for (const hold of this.#holds) {
      const isIdle = hold.flying === 0 && now - hold.usedAt > HOLD_IDLE_MS
      if (isIdle || this.#isOld(hold)) this.#retire(hold)
    }
    for (const [key, { hold, waiting, isAsking, unavailableUntil, rate }] of this.#pools) {
      const isIdle = hold === null && waiting.length === 0 && !isAsking && now >= unavailableUntil
      if (isIdle && rate.isForgotten(now)) this.#pools.delete(key)
    }
    if (now - this.#claimedAt < CLAIM_EVERY_MS) return
    this.#claimedAt = now
    void this.#claim()
  }

  /** How many charges wait for the journal; part of whether the relay is ready. */
  get unsettledCharges(): number {
    return this.#publisher.waiting
  }

  /**
   * The number of charges that could not be handed to the journal for good; the caller that settled each got the
   * failure.
   */
  get lostCharges(): number {
    return this.#lostCharges
  }

  async #tickUntil(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#options.clock.sleep(TICK_MS, signal)
      if (signal.aborted) return
      this.tick()
    }
  }

  #poolOf(account: UserId, token: TokenId | null): HoldPool {
    const key = `${account}/${token ?? ''}`
    const known = this.#pools.get(key)
    if (known !== undefined) return known
    const pool: HoldPool = {
      account,
      token,
      rate: new SpendRate(HOLD_COVERS_MS),
      hold: null,
      waiting: [],
      isAsking: false,
      aheadAfter: 0,
      unavailableUntil: 0,
    }
    this.#pools.set(key, pool)
    return pool
  }

  /** The hold of a pool while it takes requests; a lapsed or old one is retired and takes no request again. */
  #usableHold({ hold }: HoldPool): LocalHold | null {
    if (hold === null) return null
    if (!isLapsed(hold, this.#options.clock) && !this.#isOld(hold)) return hold
    this.#retire(hold)
    return null
  }

  #isOld({ opened }: LocalHold): boolean {
    const { clock, holdTakesRequestsMs = HOLD_TAKES_REQUESTS_MS } = this.#options
    return elapsedMs(opened, clock) > holdTakesRequestsMs
  }

  #reserve(hold: LocalHold, estimate: Quota): Reservation {
    hold.free = minus(hold.free, estimate)
    hold.flying += 1
    hold.usedAt = this.#options.clock.monotonicMs()
    return new HeldReservation(this, hold, estimate)
  }

  /** Waits its turn for the owner's answer; at most `WAITING_MAX` do. */
  async #wait(pool: HoldPool, estimate: Quota): Promise<DrawResult> {
    this.#waiting += 1
    try {
      return await new Promise((resolve, reject) => {
        pool.waiting.push({ estimate, resolve, reject })
        if (!pool.isAsking) void this.#serveWaiting(pool)
      })
    } finally {
      this.#waiting -= 1
    }
  }

  /** Asks the owner until every waiting request of a pool has quota or an answer. */
  async #serveWaiting(pool: HoldPool): Promise<void> {
    pool.isAsking = true
    try {
      for (let head = pool.waiting[0]; head !== undefined; head = pool.waiting[0]) {
        await this.#serve(pool, head)
      }
    } catch (error) {
      for (const waiting of pool.waiting.splice(0)) waiting.reject(error)
    } finally {
      pool.isAsking = false
    }
  }

  async #serve(pool: HoldPool, head: Waiting): Promise<void> {
    const hold = this.#usableHold(pool)
    if (hold !== null && hold.free >= head.estimate) {
      pool.waiting.shift()
      head.resolve({ status: 'drawn', reservation: this.#reserve(hold, head.estimate) })
      return
    }
    const answer = await this.#getMore(pool, hold, head)
    if (answer !== null) refuse(pool, answer)
  }

  /** One question to the owner on behalf of the first waiting request; null when there is more to draw from now. */
  async #getMore(
    pool: HoldPool,
    hold: LocalHold | null,
    head: Waiting,
  ): Promise<DrawResult | null> {
    const free = hold?.free ?? NO_QUOTA
    const need = minus(head.estimate, free)
    const all = pool.waiting.reduce((sum, { estimate }) => plus(sum, estimate), NO_QUOTA)
    const want = greater(need, plus(minus(all, free), this.#recentSpend(pool)))
    try {
      return hold === null
        ? await this.#openHold(pool, need, want)
        : await this.#extend(hold, need, want)
    } catch (error) {
      if (!isTransient(error)) throw error
      pool.unavailableUntil = this.#options.clock.monotonicMs() + UNAVAILABLE_SECONDS * 1_000
      return UNAVAILABLE
    }
  }

  async #openHold(pool: HoldPool, need: Quota, want: Quota): Promise<HoldRefusal | null> {
    const placed = await this.#questions.place(pool, need, want)
    if ('status' in placed) return placed
    this.#holds.add(placed)
    pool.hold = placed
    return null
  }

  async #extend(hold: LocalHold, need: Quota, want: Quota): Promise<HoldRefusal | null> {
    const answer = await this.#questions.extend(hold, need, want)
    if (answer === 'extended') return null
    if (answer !== 'closed') return answer
    // The owner has ended it: there is nothing to draw from and no number to send.
    hold.isFinalSent = true
    hold.hasEnded = true
    hold.free = NO_QUOTA
    this.#retire(hold)
    return null
  }

  #extendAhead(pool: HoldPool, hold: LocalHold): void {
    const now = this.#options.clock.monotonicMs()
    if (hold.extending !== null || now < pool.aheadAfter) return
    const spend = this.#recentSpend(pool)
    if (hold.free >= (spend * EXTEND_BELOW_MS) / HOLD_COVERS_MS) return
    void this.#tryToExtend(pool, hold, greater(spend, quota(1)))
  }

  /** An extension in the background; a request in need gets the reason when it fails. */
  async #tryToExtend(pool: HoldPool, hold: LocalHold, want: Quota): Promise<void> {
    let isRefused = true
    try {
      isRefused = (await this.#extend(hold, quota(1), want)) !== null
    } catch (error) {
      if (!isTransient(error)) this.#options.onFault(error, `extending hold ${hold.id}`)
    } finally {
      const pauseMs = isRefused ? EXTEND_AHEAD_PAUSE_MS : 0
      pool.aheadAfter = this.#options.clock.monotonicMs() + pauseMs
    }
  }

  #recentSpend(pool: HoldPool): Quota {
    return quota(Math.ceil(pool.rate.inWindow(this.#options.clock.monotonicMs())))
  }

  /** Takes no new request any more; after its last request, the owner gets its final number. */
  #retire(hold: LocalHold): void {
    hold.isRetired = true
    if (hold.pool.hold === hold) hold.pool.hold = null
    if (hold.flying > 0 || hold.extending !== null) return
    this.#holds.delete(hold)
    if (hold.isFinalSent) return
    hold.isFinalSent = true
    this.#options.owner.finishHold(hold.id, hold.sequence).catch((error: unknown) => {
      // A final number that is lost ends by expiry.
      if (!isTransient(error)) this.#options.onFault(error, `finishing hold ${hold.id}`)
    })
  }

  async #claim(): Promise<void> {
    const held = [...this.#holds]
    if (held.length === 0) return
    const { owner, relay, clock } = this.#options
    const sent = momentOf(clock)
    const ids = held.map(({ id }) => id)
    let heard: ReadonlySet<HoldId>
    try {
      heard = new Set(await owner.claimHolds(relay, ids))
    } catch (error) {
      // The next claim may arrive; without one the holds lapse.
      if (!isTransient(error)) this.#options.onFault(error, 'claiming holds')
      return
    }
    for (const hold of held) {
      if (isLapsed(hold, clock)) this.#retire(hold)
      else if (heard.has(hold.id)) hold.claimed = sent
    }
  }

  #now(): number {
    return this.#options.now?.() ?? this.#options.clock.now()
  }

  /** The next number of a hold, and the members that every numbered message has. */
  #numbered(hold: LocalHold) {
    const { relay, log } = this.#options
    hold.sequence += 1
    const { account } = hold.pool
    return { account, relay, hold: hold.id, sequence: hold.sequence, ...seenSoFar(log) }
  }

  coverMore(hold: LocalHold, missing: Quota): Quota | Promise<Quota> {
    const taken = this.#take(hold, missing)
    if (taken > 0) return taken
    if (this.#isOver(hold)) return Promise.reject(hasEnded(hold))
    return this.#coverByExtension(hold, missing)
  }

  async #coverByExtension(hold: LocalHold, missing: Quota): Promise<Quota> {
    const need = minus(missing, greater(hold.free, NO_QUOTA))
    // Four times as much, and the others' spend meanwhile, so that a long stream asks seldom.
    const want = quota(need * 4 + this.#recentSpend(hold.pool))
    try {
      await this.#extend(hold, need, want)
    } catch (error) {
      // Other requests may have given back the missing quota.
      const taken = isTransient(error) ? this.#take(hold, missing) : NO_QUOTA
      if (taken > 0) return taken
      throw error
    }
    const taken = this.#take(hold, missing)
    if (taken === NO_QUOTA && this.#isOver(hold)) throw hasEnded(hold)
    return taken
  }

  /** The same as `takeFrom`; nothing of a hold that is over, which may have lapsed while its owner was asked. */
  #take(hold: LocalHold, missing: Quota): Quota {
    return this.#isOver(hold) ? NO_QUOTA : takeFrom(hold, missing)
  }

  /** Its owner has ended it, or may have: the free quota of a lapsed hold may be another's by now. */
  #isOver(hold: LocalHold): boolean {
    return hold.hasEnded || isLapsed(hold, this.#options.clock)
  }

  async settleReservation(
    hold: LocalHold,
    reserved: Quota,
    amount: Quota,
    request: ChargedUsage,
  ): Promise<void> {
    try {
      await this.#settle(hold, reserved, amount, request)
    } catch (error) {
      this.#lostCharges += 1
      throw error
    }
  }

  #settle(hold: LocalHold, reserved: Quota, amount: Quota, request: ChargedUsage): Promise<void> {
    const left = minus(reserved, amount)
    // It cost more than the hold has: whether the account may start anything is its owner's to say.
    if (hold.free + left < 0) this.#retire(hold)
    this.#endFlight(hold, left)
    hold.pool.rate.add(amount, this.#options.clock.monotonicMs())
    const isLast = hold.isRetired && hold.flying === 0 && hold.extending === null
    const final = isLast && !hold.isFinalSent
    const endedAt = this.#now()
    const { token } = hold.pool
    const charge = { ...this.#numbered(hold), token, amount, request, endedAt, final }
    if (final) hold.isFinalSent = true
    if (hold.isRetired) this.#retire(hold)
    // Only now: an offer may retire the hold, and nothing is numbered after its final number.
    this.#queue.offer(hold.pool.account)
    return this.#publisher.publish({ type: 'usage', ...charge })
  }

  releaseReservation(hold: LocalHold, reserved: Quota): void {
    this.#endFlight(hold, reserved)
    if (hold.isRetired) this.#retire(hold)
    this.#queue.offer(hold.pool.account)
  }

  #endFlight(hold: LocalHold, left: Quota): void {
    hold.flying -= 1
    hold.usedAt = this.#options.clock.monotonicMs()
    hold.free = plus(hold.free, left)
    // A request's cost beyond the whole hold was taken from the wallet: the hold itself is empty, not in debt.
    if (hold.flying === 0) hold.free = greater(hold.free, NO_QUOTA)
  }
}

/** Not for lack of quota: a new request gets a new hold. */
const hasEnded = (hold: LocalHold): HoldOwnerUnavailable =>
  new HoldOwnerUnavailable(`hold ${hold.id} has ended`)

/**
 * At least `missing` out of the free quota, up to twice that so that a stream asks seldom; nothing when it is too
 * little.
 */
function takeFrom(hold: LocalHold, missing: Quota): Quota {
  if (hold.free < missing) return NO_QUOTA
  const taken = lesser(hold.free, quota(missing * 2))
  hold.free = minus(hold.free, taken)
  return taken
}

/** Answers every request whose need is beyond the rest; for smaller needs the owner is asked once more. */
function refuse(pool: HoldPool, answer: DrawResult): void {
  if (answer.status !== 'refused') {
    for (const waiting of pool.waiting.splice(0)) waiting.resolve(answer)
    return
  }
  const within = plus(answer.available, greater(pool.hold?.free ?? NO_QUOTA, NO_QUOTA))
  const refused = { ...answer, available: within }
  pool.waiting.shift()?.resolve(refused)
  pool.waiting = pool.waiting.filter((waiting) => {
    if (answer.available > 0 && waiting.estimate <= within) return true
    waiting.resolve(refused)
    return false
  })
}
