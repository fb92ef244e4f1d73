import { elapsedMs, type Moment, momentOf } from '@tollgate/domain/moment.ts'
import { within } from '@tollgate/domain/kernel/within.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type {
  EndOfRight,
  LeaseAnswer,
  Leases,
  SharedWork,
  WorkShare,
} from '@tollgate/domain/ports/leases.ts'
import { fairShare } from '@tollgate/domain/sharing/fair-share.ts'

/** How often leases are renewed, and how long they last: a process that is killed is replaced within about 6 s. */
const RENEW_EVERY_MS = 1_000
const TTL_MS = 5_000
/** While a right is awaited (from a process that hands it over, or one that died) it is asked for more often. */
const AWAIT_EVERY_MS = 200
/** A round without an answer for this long has failed; several fit into the time that leases last. */
const ROUND_TIMEOUT_MS = 2_000
/** A process that cannot do its work for this long gives it to others: longer than a broker takes to restart. */
const UNABLE_MS = 5_000
/** How long work gets to end before its right is given back nevertheless. */
const END_TIMEOUT_MS = 2_000

export interface ShareWorkOptions extends SharedWork {
  readonly leases: Leases
  /** This process, new at each start. */
  readonly member: string
  readonly clock: Clock
  readonly logger: ShareLogger
}

/** The part of the process's logger that is used here; pino's loggers fit. */
export interface ShareLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

/**
 * Takes part in the work of a group: every member does its fair share, so that work moves when one joins, leaves or
 * dies. A right that is another's share is ended here first and then given back, so that in ordinary times two never do
 * the same. While the database is unavailable everybody goes on with what it has; when it is back, members that were
 * known before count as alive for the leases' time to live, so that the first one back does not take everything. A
 * member that was paused for longer hears with its first renewal that others have its rights (`lost`). A member that
 * cannot do its part steps back as long as somebody else is there, and joins again when it can. All of this spares work
 * and errors; the fence behind it (expected revision, checkpoint) sees to it that nothing is done twice.
 */
export function shareWork(options: ShareWorkOptions): WorkShare {
  const share = new Share(options)
  share.start()
  return share
}

interface Right {
  since: number
  isHeld: boolean
}

class Share implements WorkShare {
  readonly #options: ShareWorkOptions
  readonly #rights = new Map<string, Right>()
  /** Ends under way, of rights still held and of lost ones. */
  readonly #ending = new Map<string, Promise<void>>()
  readonly #listeners = new Set<() => void>()
  /** Alive by the last answer, this one included. */
  #members: readonly string[] = []
  /** Members before an interruption, and until when (monotonic) they count as alive. */
  #former: { readonly members: readonly string[]; readonly until: number } | null = null
  /** When the last round was sent that was answered. */
  #renewed: Moment | null = null
  #failures = 0
  /** Since when this process cannot do its part. */
  #unable: Moment | null = null
  /** Everything was given to the others, until this process can do its part again. */
  #isBack = false
  #isStopping = false
  #pause = new AbortController()
  #running: Promise<void> = Promise.resolve()

  constructor(options: ShareWorkOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = this.#run()
  }

  heldSince(name: string): number | null {
    const right = this.#rights.get(name)
    return right?.isHeld === true ? right.since : null
  }

  isCertain(): boolean {
    return this.#renewed !== null && elapsedMs(this.#renewed, this.#options.clock) <= TTL_MS
  }

  held(): readonly string[] {
    return [...this.#rights].filter(([, { isHeld }]) => isHeld).map(([name]) => name)
  }

  members(): number {
    return this.#members.length
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#renewSoon()
    await this.#running
    for (const name of this.held()) this.#giveUp(name, 'stop')
    await Promise.all(this.#ending.values())
    const { leases, group, member, logger } = this.#options
    try {
      await within(ROUND_TIMEOUT_MS, this.#options.clock, leases.leave(group, member))
    } catch (error) {
      logger.warn({ group, err: error }, 'rights could not be given back; others take them soon')
    }
  }

  async #run(): Promise<void> {
    const { clock } = this.#options
    while (!this.#isStopping) {
      this.#pause = new AbortController()
      await this.#round()
      if (!this.#isStopping) await clock.sleep(this.#pauseMs(), this.#pause.signal)
    }
  }

  #renewSoon(): void {
    this.#pause.abort()
  }

  async #round(): Promise<void> {
    const { isAble, clock } = this.#options
    const isUnable = isAble?.() === false
    if (!isUnable) this.#unable = null
    else this.#unable ??= momentOf(clock)
    if (!isUnable) this.#isBack = false
    else if (!this.#isBack && this.#isUnableForLong()) await this.#stepBack()
    if (!this.#isBack) await this.#renew()
  }

  #isUnableForLong(): boolean {
    return this.#unable !== null && elapsedMs(this.#unable, this.#options.clock) >= UNABLE_MS
  }

  async #stepBack(): Promise<void> {
    const { leases, group, member, logger } = this.#options
    try {
      this.#isBack = await within(
        ROUND_TIMEOUT_MS,
        this.#options.clock,
        leases.stepBack(group, member),
      )
    } catch {
      // As with a renewal: it may have been done or not, and the next round asks again.
      return
    }
    if (!this.#isBack) return
    logger.warn({ group, held: this.held().length }, 'this process cannot work; others do its part')
    this.#members = []
    this.#renewed = null
    for (const [name, right] of this.#rights) {
      this.#rights.delete(name)
      if (right.isHeld) this.#end(name, 'lost')
    }
  }

  async #renew(): Promise<void> {
    const { leases, clock, group, member, logger } = this.#options
    const sent = momentOf(clock)
    const round = { group, member, ttlMs: TTL_MS, wanted: this.#wanted() }
    let answer: LeaseAnswer
    try {
      answer = await within(ROUND_TIMEOUT_MS, this.#options.clock, leases.renew(round))
    } catch (error) {
      this.#failures += 1
      if (this.#failures === 1) {
        const details = { group, err: error, held: this.held().length }
        logger.warn(details, 'leases cannot be renewed; what is held goes on meanwhile')
      }
      return
    }
    if (this.#failures > 0) logger.info({ group, failures: this.#failures }, 'leases are renewed')
    this.#failures = 0
    if (!this.#isStopping) this.#follow(answer, sent)
  }

  /** Rights that are held, and those that should be and are not being ended. */
  #wanted(): readonly string[] {
    const wanted = new Set(this.#rights.keys())
    for (const name of this.#ownShare()) if (!this.#ending.has(name)) wanted.add(name)
    return [...wanted]
  }

  #follow({ members, held }: LeaseAnswer, sent: Moment): void {
    this.#noticeInterruption()
    this.#renewed = sent
    this.#members = members
    const isHeld = new Set(held)
    for (const [name, right] of this.#rights) {
      if (isHeld.has(name)) continue
      this.#rights.delete(name)
      if (right.isHeld) this.#end(name, 'lost')
    }
    // A right whose work has ended while this round was under way is held still; the next round gives it back.
    const own = new Set(this.#ownShare())
    for (const name of held) {
      if (own.has(name) && !this.#rights.has(name) && !this.#ending.has(name)) this.#begin(name)
    }
    this.#handOver(members)
  }

  /** After a gap in which the leases may have run out, everything counts from now. */
  #noticeInterruption(): void {
    const { clock, group, logger } = this.#options
    if (this.#renewed === null || this.isCertain()) return
    const now = clock.monotonicMs()
    for (const right of this.#rights.values()) right.since = now
    this.#former = { members: this.#members, until: now + TTL_MS }
    logger.warn({ group, held: this.#rights.size }, 'leases were not renewed for too long')
  }

  #begin(name: string): void {
    const { clock, group, logger } = this.#options
    this.#rights.set(name, { since: clock.monotonicMs(), isHeld: true })
    logger.info({ group, name }, 'work begins here')
    try {
      this.#options.begin(name)
      this.#tellListeners()
    } catch (error) {
      logger.warn({ group, name, err: error }, 'work could not begin; its right is given back')
      this.#giveUp(name, 'hand-over')
    }
  }

  #handOver(live: readonly string[]): void {
    const { member, names } = this.#options
    const shares = fairShare(this.#present(), names)
    for (const [name, right] of this.#rights) {
      const owner = shares.get(name)
      if (!right.isHeld || owner === undefined || owner === member || !live.includes(owner))
        continue
      this.#giveUp(name, 'hand-over')
    }
  }

  /** Ends a right that is kept until its work has ended, and then given back by the next round. */
  #giveUp(name: string, reason: EndOfRight): void {
    const right = this.#rights.get(name)
    if (right === undefined) return
    right.isHeld = false
    this.#end(name, reason)
  }

  #end(name: string, reason: EndOfRight): void {
    const { group, logger } = this.#options
    logger.info({ group, name, reason }, 'work ends here')
    this.#ending.set(name, this.#endWork(name, reason))
    this.#tellListeners()
  }

  async #endWork(name: string, reason: EndOfRight): Promise<void> {
    const { group, logger } = this.#options
    try {
      await within(END_TIMEOUT_MS, this.#options.clock, this.#options.end(name, reason))
    } catch (error) {
      logger.warn({ group, name, err: error }, 'work did not end as it should; its right is given')
    }
    this.#ending.delete(name)
    if (this.#rights.get(name)?.isHeld === false) this.#rights.delete(name)
    this.#renewSoon()
  }

  #ownShare(): readonly string[] {
    const { member, names } = this.#options
    const shares = fairShare(this.#present(), names)
    return names.filter((name) => shares.get(name) === member)
  }

  /** Members that are alive, or may be on their way back after an outage that cut off this one too. */
  #present(): readonly string[] {
    if (this.#former === null || this.#options.clock.monotonicMs() >= this.#former.until) {
      return this.#members
    }
    return [...new Set([...this.#members, ...this.#former.members])]
  }

  #pauseMs(): number {
    if (this.#failures > 0) return RENEW_EVERY_MS
    const isWaiting = !this.#isBack && this.#ownShare().some((name) => !this.#rights.has(name))
    return isWaiting ? AWAIT_EVERY_MS : RENEW_EVERY_MS
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener()
  }
}
