import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { HoldId, RelayId, TokenId, UserId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type {
  HoldOwner,
  HoldRefusal,
  HoldRefusalReason,
  RecallListener,
} from '@tollgate/domain/ports/hold-owner.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { UsageJournal, UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import {
  greater,
  lesser,
  minus,
  NO_QUOTA,
  plus,
  type Quota,
  quota,
} from '@tollgate/domain/quota.ts'
import { SpendRate } from './spend-rate.ts'

/** Holds are sized to pay for this long at the recent rate of spending. */
const HOLD_COVERS_MS = 10_000
/** Below this much of the recent rate left, a hold is extended in the background. */
const EXTEND_BELOW_MS = 3_000
/** After a refused extension ahead of need, the next attempt waits. */
const EXTEND_AHEAD_PAUSE_MS = 1_000
/** A hold that nobody drew from for this long is given back. */
const HOLD_IDLE_MS = 3_000
/** Claims are sent this often, and a hold may be drawn from this long after its last acknowledged claim was sent. */
const CLAIM_EVERY_MS = 5_000
const CLAIM_LASTS_MS = 20_000
/** How long an owner that does not answer is asked before the request is turned away. */
const OWNER_PATIENCE_MS = 5_000
/** Charges that may wait for the journal before new requests are turned away. */
const UNSETTLED_CHARGES_MAX = 2_000
const PUBLISH_PAUSES_MS = [20, 50, 100, 250, 500, 1_000] as const
const UNAVAILABLE_RETRY_SECONDS = 2

export interface HoldKeeperOptions {
  readonly relay: RelayId
  readonly owner: HoldOwner
  readonly journal: UsageJournal
  readonly clock: Clock
  readonly randomness: Randomness
}

/** What comes of wanting to draw: quota, a refusal that is the client's business, or an owner or journal that is away. */
export type DrawResult =
  | { readonly status: 'drawn'; readonly drawing: Drawing }
  | {
      readonly status: 'refused'
      readonly reason: HoldRefusalReason
      /** What account and token could still give. */
      readonly available: Quota
    }
  | { readonly status: 'unavailable'; readonly retryAfterSeconds: number }

/** One request's part of a hold. Ended exactly once: by `settle` or by `release`. */
export interface Drawing {
  /** What is reserved for this request by now. */
  readonly reserved: Quota
  /** Sees to it that `total` is covered before more is delivered; false when no more can be had and the stream must end. */
  cover(total: Quota): boolean | Promise<boolean>
  /** Numbers and publishes the charge; resolves when it is durable. An unanswering journal is asked again for ever. */
  settle(amount: Quota, request: ChargedUsage): Promise<void>
  /** Nothing is charged; what was reserved can be drawn by others again. */
  release(): void
}

/**
 * The relay's side of holds (architecture 6): draws from memory where a hold covers the request, asks the account's
 * owner where none does, extends ahead of need, claims what it works with, and gives back what lies idle.
 */
export class HoldKeeper implements RecallListener {
  readonly #options: HoldKeeperOptions
  readonly #purses = new Map<string, Purse>()
  readonly #holds = new Set<KeptHold>()
  #unsettled = 0
  #claimedAt = 0
  #timer: NodeJS.Timeout | null = null

  constructor(options: HoldKeeperOptions) {
    this.#options = options
  }

  /** Reserves `estimate` for one request of an account and token; without I/O when a hold in memory covers it. */
  draw(account: UserId, token: TokenId | null, estimate: Quota): DrawResult | Promise<DrawResult> {
    if (this.#unsettled >= UNSETTLED_CHARGES_MAX) return UNAVAILABLE
    const purse = this.#purseOf(account, token)
    const hold = this.#usableHold(purse)
    if (purse.waiting.length === 0 && hold !== null && hold.free >= estimate) {
      const drawing = this.#reserve(purse, hold, estimate)
      this.#extendAhead(purse, hold)
      return { status: 'drawn', drawing }
    }
    return new Promise((resolve, reject) => {
      const since = this.#options.clock.monotonicMs()
      purse.waiting.push({ estimate, since, resolve, reject })
      if (!purse.isAsking) void this.#serveWaiting(purse)
    })
  }

  async returnIdleQuota(account: UserId, except: HoldId | null): Promise<Quota> {
    let returned = NO_QUOTA
    const published: Promise<void>[] = []
    for (const hold of this.#holds) {
      if (hold.account !== account || hold.id === except) continue
      if (hold.free <= 0 || hold.isFinalSent) continue
      const amount = hold.free
      hold.free = NO_QUOTA
      hold.sequence += 1
      returned = plus(returned, amount)
      published.push(this.#publish({ type: 'return', ...this.#numbered(hold), amount }))
    }
    await Promise.all(published)
    return returned
  }

  /** Begins claiming and giving back; ends with `stop`. */
  start(): void {
    this.#timer ??= setInterval(() => this.tick(), 1_000).unref()
  }

  /** Gives back every hold as its last request ends; resolves when none is left or the time is up. */
  async stop(withinMs: number): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    const { clock } = this.#options
    const until = clock.monotonicMs() + withinMs
    for (const hold of this.#holds) this.#retire(hold)
    while (this.#holds.size > 0 && clock.monotonicMs() < until) await pause(20)
  }

  /** The work of one moment: claims every few seconds, idle holds given back, forgotten purses dropped. */
  tick(): void {
    const now = this.#options.clock.monotonicMs()
    for (const hold of this.#holds) {
      if (hold.flying === 0 && now - hold.usedAt > HOLD_IDLE_MS) this.#retire(hold)
    }
    for (const [key, purse] of this.#purses) {
      if (
        purse.hold === null &&
        purse.waiting.length === 0 &&
        !purse.isAsking &&
        purse.rate.isForgotten(now)
      ) {
        this.#purses.delete(key)
      }
    }
    if (now - this.#claimedAt >= CLAIM_EVERY_MS) {
      this.#claimedAt = now
      void this.#claim()
    }
  }

  /** How many charges wait for the journal; part of whether the relay is ready. */
  get unsettledCharges(): number {
    return this.#unsettled
  }

  /** Open holds of this relay, for metrics and tests. */
  get openHolds(): number {
    return this.#holds.size
  }

  #purseOf(account: UserId, token: TokenId | null): Purse {
    const key = `${account}/${token ?? ''}`
    const known = this.#purses.get(key)
    if (known !== undefined) return known
    const rate = new SpendRate(HOLD_COVERS_MS)
    const purse: Purse = {
      account,
      token,
      hold: null,
      waiting: [],
      isAsking: false,
      aheadAfter: 0,
      rate,
    }
    this.#purses.set(key, purse)
    return purse
  }

  /** The purse's hold while its claim is fresh; a lapsed one is retired and never drawn from again. */
  #usableHold(purse: Purse): KeptHold | null {
    const { hold } = purse
    if (hold === null) return null
    if (!this.#isLapsed(hold)) return hold
    this.#retire(hold)
    return null
  }

  #isLapsed(hold: KeptHold): boolean {
    // A process that was stopped may find either clock standing still: the larger time counts.
    const { clock } = this.#options
    const elapsed = Math.max(
      clock.monotonicMs() - hold.claimed.monotonicMs,
      clock.now() - hold.claimed.wallMs,
    )
    return elapsed > CLAIM_LASTS_MS
  }

  #reserve(purse: Purse, hold: KeptHold, estimate: Quota): Drawing {
    hold.free = minus(hold.free, estimate)
    hold.flying += 1
    hold.usedAt = this.#options.clock.monotonicMs()
    return new HeldDrawing(this, purse, hold, estimate)
  }

  /** Asks the owner until every waiting request of the purse has quota or an answer. */
  async #serveWaiting(purse: Purse): Promise<void> {
    purse.isAsking = true
    try {
      for (let head = purse.waiting[0]; head !== undefined; head = purse.waiting[0]) {
        await this.#serve(purse, head)
      }
    } catch (error) {
      for (const waiting of purse.waiting.splice(0)) waiting.reject(error)
    } finally {
      purse.isAsking = false
    }
  }

  async #serve(purse: Purse, head: Waiting): Promise<void> {
    const hold = this.#usableHold(purse)
    if (hold !== null && hold.free >= head.estimate) {
      purse.waiting.shift()
      head.resolve({ status: 'drawn', drawing: this.#reserve(purse, hold, head.estimate) })
      return
    }
    const refused = await this.#getMore(purse, hold, head)
    if (refused !== null) this.#turnAway(purse, refused)
  }

  /** One question to the owner on behalf of the first who waits; null when there is more to draw from now. */
  async #getMore(purse: Purse, hold: KeptHold | null, head: Waiting): Promise<DrawResult | null> {
    const free = hold?.free ?? NO_QUOTA
    const need = minus(head.estimate, free)
    const all = purse.waiting.reduce((sum, { estimate }) => plus(sum, estimate), NO_QUOTA)
    const want = greater(need, plus(minus(all, free), this.#recentSpend(purse)))
    try {
      const refusal =
        hold === null ? await this.#place(purse, need, want) : await this.#extend(hold, need, want)
      return refusal
    } catch (error) {
      if (!isRetryable(error)) throw error
      const { clock } = this.#options
      if (clock.monotonicMs() - head.since > OWNER_PATIENCE_MS) return UNAVAILABLE
      await pause(20)
      return null
    }
  }

  /** Answers everyone whose need is beyond what is left; who needs less is asked for once more. */
  #turnAway(purse: Purse, answer: DrawResult): void {
    if (answer.status !== 'refused') {
      for (const waiting of purse.waiting.splice(0)) waiting.resolve(answer)
      return
    }
    const within = plus(answer.available, purse.hold?.free ?? NO_QUOTA)
    const head = purse.waiting.shift()
    head?.resolve(answer)
    purse.waiting = purse.waiting.filter((waiting) => {
      if (answer.available > 0 && waiting.estimate <= within) return true
      waiting.resolve(answer)
      return false
    })
  }

  async #place(purse: Purse, need: Quota, want: Quota): Promise<HoldRefusal | null> {
    const { owner, relay, clock, randomness } = this.#options
    const { account, token } = purse
    // A grant is as fresh as the moment it was first asked for, however late the answer is.
    const asked = { monotonicMs: clock.monotonicMs(), wallMs: clock.now() }
    const ask = { account, token, relay, nonce: randomness.uuid(), need, want }
    const answer = await repeated(() => owner.placeHold(ask), OWNER_PATIENCE_MS, clock)
    if (answer.status === 'refused') return answer
    const hold: KeptHold = {
      id: answer.hold,
      account,
      purse,
      free: answer.amount,
      flying: 0,
      sequence: 0,
      extensions: 0,
      extending: null,
      usedAt: clock.monotonicMs(),
      claimed: asked,
      isRetired: false,
      isFinalSent: false,
    }
    this.#holds.add(hold)
    purse.hold = hold
    return null
  }

  /** One extension at a time per hold; a further one waits for it and then asks for what is still missing. */
  async #extend(hold: KeptHold, need: Quota, want: Quota): Promise<HoldRefusal | null> {
    while (hold.extending !== null) {
      const before = hold.free
      await hold.extending
      const gained = minus(hold.free, before)
      if (gained >= need) return null
    }
    const asking = this.#askForExtension(hold, need, want)
    hold.extending = asking.then(ignore, ignore)
    try {
      return await asking
    } finally {
      hold.extending = null
    }
  }

  async #askForExtension(hold: KeptHold, need: Quota, want: Quota): Promise<HoldRefusal | null> {
    const { owner, relay, clock } = this.#options
    const ask = { relay, hold: hold.id, number: hold.extensions + 1, need, want }
    const answer = await repeated(() => owner.extendHold(ask), OWNER_PATIENCE_MS, clock)
    if (answer.status === 'refused') return answer
    if (answer.status === 'closed') {
      this.#drop(hold)
      return null
    }
    hold.extensions += 1
    hold.free = plus(hold.free, answer.amount)
    return null
  }

  #extendAhead(purse: Purse, hold: KeptHold): void {
    const now = this.#options.clock.monotonicMs()
    if (hold.extending !== null || now < purse.aheadAfter) return
    const spend = this.#recentSpend(purse)
    if (hold.free >= (spend * EXTEND_BELOW_MS) / HOLD_COVERS_MS) return
    void this.#tryToExtend(purse, hold, greater(spend, quota(1)))
  }

  /** An extension that nobody waits for; what keeps it from coming is told to whoever asks in need. */
  async #tryToExtend(purse: Purse, hold: KeptHold, want: Quota): Promise<void> {
    let isRefused = true
    try {
      isRefused = (await this.#extend(hold, quota(1), want)) !== null
    } catch (error) {
      if (!isRetryable(error)) throw error
    } finally {
      const pauseMs = isRefused ? EXTEND_AHEAD_PAUSE_MS : 0
      purse.aheadAfter = this.#options.clock.monotonicMs() + pauseMs
    }
  }

  #recentSpend(purse: Purse): Quota {
    return quota(Math.ceil(purse.rate.inWindow(this.#options.clock.monotonicMs())))
  }

  /** No more is drawn from it; when its last request has ended, the owner is told its final number. */
  #retire(hold: KeptHold): void {
    hold.isRetired = true
    if (hold.purse.hold === hold) hold.purse.hold = null
    if (hold.flying > 0 || hold.extending !== null) return
    this.#holds.delete(hold)
    if (hold.isFinalSent) return
    hold.isFinalSent = true
    this.#options.owner.finishHold(hold.id, hold.sequence).catch(ignore) // A lost final ends by expiry.
  }

  /** The owner has ended it already. */
  #drop(hold: KeptHold): void {
    hold.isRetired = true
    hold.isFinalSent = true
    hold.free = NO_QUOTA
    if (hold.purse.hold === hold) hold.purse.hold = null
    this.#holds.delete(hold)
  }

  async #claim(): Promise<void> {
    const held = [...this.#holds]
    if (held.length === 0) return
    const { owner, relay, clock } = this.#options
    const sent = { monotonicMs: clock.monotonicMs(), wallMs: clock.now() }
    try {
      await owner.claimHolds(
        relay,
        held.map(({ id }) => id),
      )
    } catch (error) {
      if (isRetryable(error)) return // The next claim may arrive; without one the holds lapse.
      throw error
    }
    for (const hold of held) {
      // Once lapsed, for ever lapsed: the owner may have expired it.
      if (this.#isLapsed(hold)) this.#retire(hold)
      else hold.claimed = sent
    }
  }

  #numbered(hold: KeptHold) {
    const { relay, clock } = this.#options
    return { account: hold.account, relay, hold: hold.id, sequence: hold.sequence, at: clock.now() }
  }

  /** The same message until the journal has it. */
  async #publish(message: UsageMessage): Promise<void> {
    const { journal } = this.#options
    this.#unsettled += 1
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          await journal.publish(message)
          return
        } catch (error) {
          if (!isRetryable(error)) throw error
          await pause(PUBLISH_PAUSES_MS[Math.min(attempt, PUBLISH_PAUSES_MS.length - 1)] ?? 1_000)
        }
      }
    } finally {
      this.#unsettled -= 1
    }
  }

  /** For Drawing: takes more of the hold for a running request. */
  coverMore(hold: KeptHold, missing: Quota): Quota | Promise<Quota> {
    // Twice what is missing, so that a long stream asks seldom.
    const generous = lesser(hold.free, quota(missing * 2))
    if (generous >= missing) {
      hold.free = minus(hold.free, generous)
      return generous
    }
    if (hold.isRetired || this.#isLapsed(hold)) return NO_QUOTA
    return this.#coverByExtension(hold, missing)
  }

  async #coverByExtension(hold: KeptHold, missing: Quota): Promise<Quota> {
    try {
      const need = minus(missing, greater(hold.free, NO_QUOTA))
      const want = quota(need * 4 + this.#recentSpend(hold.purse))
      const refusal = await this.#extend(hold, need, want)
      if (refusal !== null || hold.free < missing) return NO_QUOTA
    } catch (error) {
      if (isRetryable(error)) return NO_QUOTA
      throw error
    }
    const taken = lesser(hold.free, quota(missing * 2))
    hold.free = minus(hold.free, taken)
    return taken
  }

  /** For Drawing: the request has ended with a price. */
  settleDrawing(
    hold: KeptHold,
    reserved: Quota,
    amount: Quota,
    request: ChargedUsage,
  ): Promise<void> {
    this.#endFlight(hold, minus(reserved, amount))
    hold.purse.rate.add(amount, this.#options.clock.monotonicMs())
    hold.sequence += 1
    const final =
      hold.isRetired && hold.flying === 0 && hold.extending === null && !hold.isFinalSent
    if (final) hold.isFinalSent = true
    const message: UsageMessage = {
      type: 'usage',
      ...this.#numbered(hold),
      token: hold.purse.token,
      amount,
      request,
      final,
    }
    if (hold.isRetired) this.#retire(hold)
    return this.#publish(message)
  }

  /** For Drawing: the request has ended without a price. */
  releaseDrawing(hold: KeptHold, reserved: Quota): void {
    this.#endFlight(hold, reserved)
    if (hold.isRetired) this.#retire(hold)
  }

  #endFlight(hold: KeptHold, left: Quota): void {
    hold.flying -= 1
    hold.usedAt = this.#options.clock.monotonicMs()
    hold.free = plus(hold.free, left)
    // What a request cost beyond the whole hold was taken from the wallet: the hold itself is empty, not in debt.
    if (hold.flying === 0) hold.free = greater(hold.free, NO_QUOTA)
  }
}

class HeldDrawing implements Drawing {
  readonly #keeper: HoldKeeper
  readonly #hold: KeptHold
  #reserved: Quota
  #hasEnded = false

  constructor(keeper: HoldKeeper, _purse: Purse, hold: KeptHold, reserved: Quota) {
    this.#keeper = keeper
    this.#hold = hold
    this.#reserved = reserved
  }

  get reserved(): Quota {
    return this.#reserved
  }

  cover(total: Quota): boolean | Promise<boolean> {
    if (total <= this.#reserved) return true
    const more = this.#keeper.coverMore(this.#hold, minus(total, this.#reserved))
    if (typeof more === 'number') return this.#add(more, total)
    return more.then((gained) => this.#add(gained, total))
  }

  settle(amount: Quota, request: ChargedUsage): Promise<void> {
    this.#end()
    return this.#keeper.settleDrawing(this.#hold, this.#reserved, amount, request)
  }

  release(): void {
    this.#end()
    this.#keeper.releaseDrawing(this.#hold, this.#reserved)
  }

  #add(gained: Quota, total: Quota): boolean {
    this.#reserved = plus(this.#reserved, gained)
    return this.#reserved >= total
  }

  #end(): void {
    if (this.#hasEnded) throw new TypeError('a drawing was ended twice')
    this.#hasEnded = true
  }
}

/** Everything one account and token draws from: one hold at a time, and the requests that wait for more. */
interface Purse {
  readonly account: UserId
  readonly token: TokenId | null
  readonly rate: SpendRate
  hold: KeptHold | null
  waiting: Waiting[]
  isAsking: boolean
  /** No extension ahead of need before this monotonic moment. */
  aheadAfter: number
}

interface KeptHold {
  readonly id: HoldId
  readonly account: UserId
  readonly purse: Purse
  /** Neither reserved by a request nor spent. */
  free: Quota
  /** Requests that draw from it now. */
  flying: number
  /** Of the last numbered message. */
  sequence: number
  extensions: number
  extending: Promise<void> | null
  usedAt: number
  claimed: { readonly monotonicMs: number; readonly wallMs: number }
  isRetired: boolean
  isFinalSent: boolean
}

interface Waiting {
  readonly estimate: Quota
  readonly since: number
  readonly resolve: (result: DrawResult) => void
  readonly reject: (error: unknown) => void
}

const UNAVAILABLE: DrawResult = {
  status: 'unavailable',
  retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
}

/** The same question until it is answered or patience ends; its last error then goes to the caller. */
async function repeated<Answer>(
  ask: () => Promise<Answer>,
  withinMs: number,
  clock: Clock,
): Promise<Answer> {
  const until = clock.monotonicMs() + withinMs
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isRetryable(error) || clock.monotonicMs() > until) throw error
      await pause(20)
    }
  }
}

const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'retryable' in error && error.retryable === true

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const ignore = (): void => undefined
