import type { LogId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  type EventStore,
  ReadDenied,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import type { LogMark, LogView } from '@tollgate/domain/timeline/log-view.ts'
import {
  currentTimeline,
  type Timeline,
  type Timelines,
} from '@tollgate/domain/timeline/timelines.ts'
import { LRUCache } from 'lru-cache'
import { isThere } from './log-pair/compare-pair.ts'
import { readTimelines } from './timelines.ts'

/** A server that follows another may show an event a moment later; longer is no delay. */
const PATIENCE_MS = 3_000
const LOOK_AGAIN_MS = 250
/** A mark sent to other processes is at most this old: a new one each second keeps few to compare. */
const TOLD_MS = 1_000
/** Marks of messages that were found in the log; each process tells one a second. */
const CONFIRMED_MAX = 1_000
/** Marks that could not be found; one is enough to stop all. */
const SUSPICIONS_MAX = 100

/** The log goes by a new timeline: everything that this process has in memory is of another past. */
export class TimelineChanged extends Error {
  readonly code = 'TIMELINE_CHANGED'
  readonly retryable = true
  constructor(log: LogId) {
    super(`the log was put back and goes by timeline ${log} now: this process begins anew`)
    this.name = 'TimelineChanged'
  }
}

/** The record by which log and database are compared: the row of the pair, or the claims in the log. */
type DisownedBy = 'pair' | 'claim'

export interface LogWatchOptions {
  /** As it is, not watched. */
  readonly store: Pick<EventStore, 'readStream'>
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  /** As they were read at the start of this process. */
  readonly timelines: Timelines
  /**
   * Called with the reason when the log is found to be another than before, and with null when it is the same again.
   */
  readonly onChange: (reason: string | null) => void
}

/**
 * Compares the log with how far this process and others have seen it: an event that was seen and is not there, or is
 * another one, means that the log was put back to an older state (a restored server, a promoted standby that lagged).
 * From then on nothing is appended and nothing new begun until an operator accepts it by opening another timeline.
 */
export class LogWatch implements LogView {
  readonly log: LogId
  /** Resolves when the log goes by another timeline: this process must begin anew. */
  readonly changed: Promise<TimelineChanged>
  readonly #options: LogWatchOptions
  readonly #own: Timeline
  readonly #confirmed = new LRUCache<string, true>({ max: CONFIRMED_MAX })
  /** Heard of, and not found in the log yet. */
  readonly #suspicions = new Map<string, LogMark>()
  #timelines: readonly Timeline[]
  #seen: LogMark | null = null
  #told: { readonly mark: LogMark; readonly at: number } | null = null
  #distrust: string | null = null
  readonly #disowned = new Map<DisownedBy, string>()
  #isSuspected = false
  #alarms = 0
  #checking: Promise<void> | null = null
  #onChanged: (error: TimelineChanged) => void = () => undefined

  constructor(options: LogWatchOptions) {
    this.#options = options
    this.#own = currentTimeline(options.timelines)
    this.#timelines = options.timelines
    this.log = this.#own.log
    this.changed = new Promise((resolve) => (this.#onChanged = resolve))
  }

  /** Highest position that this process knows of; −1 before any. */
  get position(): number {
    return this.#seen?.position ?? -1
  }

  /** How far this process has seen the log. */
  get seen(): LogMark | null {
    return this.#seen
  }

  mark(): LogMark | null {
    if (this.#seen === null) return null
    const at = this.#options.clock.monotonicMs()
    if (this.#told === null || at - this.#told.at >= TOLD_MS) this.#told = { mark: this.#seen, at }
    return this.#told.mark
  }

  isTrusted(): boolean {
    return this.readinessProblem() === null
  }

  /** Null while the log is the same as before; else the problem, and what an operator can do. */
  readinessProblem(): string | null {
    const [reason = this.#distrust] = this.#disowned.values()
    return reason
  }

  /** Why the log does not go with this process's database, as one of its watches sees it; null when it does. */
  disown(by: DisownedBy, reason: string | null): void {
    const before = this.readinessProblem()
    if (reason === null) this.#disowned.delete(by)
    else this.#disowned.set(by, reason)
    const after = this.readinessProblem()
    if (after !== before) this.#options.onChange(after)
  }

  /**
   * An event was read. One that is read before the log is compared may be another log's, and is not held against this
   * one.
   */
  note(event: Omit<LogMark, 'log' | 'openedAt'>): void {
    if (this.isClear()) this.know(event)
  }

  /** An event is known to be this log's. */
  know(event: Omit<LogMark, 'log' | 'openedAt'>): void {
    if (event.position <= this.position) return
    const { position, hash, stream, revision } = event
    const { log, openedAt } = this.#own
    this.#seen = { log, openedAt, position, hash, stream, revision }
  }

  /**
   * How far this process has seen the log, for the receivers of its answers; a mark that comes back need not be looked
   * up.
   */
  markOfAnswer(): LogMark | null {
    if (this.#seen !== null) this.#confirmed.set(nameOf(this.#seen), true)
    return this.#seen
  }

  learn(mark: LogMark): void {
    if (mark.log !== this.log) return this.hear(mark)
    this.know(mark)
    this.#told = null
  }

  hear(mark: LogMark): void {
    if (this.#confirmed.has(nameOf(mark))) return
    if (this.#suspicions.size < SUSPICIONS_MAX) this.#suspicions.set(nameOf(mark), mark)
    // A log that cannot be read now is compared before the next append.
    this.check().catch(() => undefined)
  }

  /** Something was lost or unexpected: the log is compared before anything more is appended. */
  suspect(): void {
    this.#isSuspected = true
    this.#alarms += 1
  }

  /**
   * Lets an append pass. Fails with StoreUnavailable while the log is another than before or not ours, or cannot be
   * compared.
   */
  async clearToAppend(): Promise<void> {
    await this.clear()
    this.#refuseDistrusted()
  }

  /**
   * Lets a read pass, or a claim. Fails with StoreUnavailable while the log is another than before, or cannot be
   * compared.
   */
  async clear(): Promise<void> {
    if (this.#isSuspected) await this.check()
    if (this.#distrust !== null) throw new StoreUnavailable(this.#distrust, 'none')
  }

  /** Lets a message pass that carries how far its sender had seen the log. Fails as `clearToAppend`. */
  async admit(mark: LogMark): Promise<void> {
    if (!this.#confirmed.has(nameOf(mark))) {
      this.#suspicions.set(nameOf(mark), mark)
      await this.check()
    }
    this.#refuseDistrusted()
  }

  /** Resolves once the log is the same as before, or when the signal aborts. */
  async cleared(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.clear()
        return
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        await this.#options.clock.sleep(LOOK_AGAIN_MS, signal)
      }
    }
  }

  /** Whether events read at this moment can be trusted. */
  isClear(): boolean {
    return !this.#isSuspected && this.#distrust === null
  }

  #refuseDistrusted(): void {
    const reason = this.readinessProblem()
    if (reason !== null) throw new StoreUnavailable(reason, 'none')
  }

  /** Compares every mark seen and received with the log. Fails with StoreUnavailable. */
  check(): Promise<void> {
    const isSuspected = this.#isSuspected
    const alarms = this.#alarms
    this.#checking ??= this.#compare()
      .catch((error: unknown) => {
        // The log refuses new calls (a changed password) while appends go on: nothing was lost, nothing put back.
        const isNew = isSuspected || this.#alarms > alarms || this.#suspicions.size > 0
        if (error instanceof ReadDenied && !isNew) this.#isSuspected = false
        throw error
      })
      .finally(() => {
        this.#checking = null
      })
    return this.#checking
  }

  async #compare(): Promise<void> {
    const { clock } = this.#options
    const until = clock.monotonicMs() + PATIENCE_MS
    this.#isSuspected = true
    for (;;) {
      const alarms = this.#alarms
      const problem = await this.#problem()
      if (problem === null) {
        // Suspicions and alarms that came meanwhile are checked as well: the read may be from before a connection was
        // lost.
        if (this.#suspicions.size > 0 || this.#alarms > alarms) continue
        this.#isSuspected = false
        this.#conclude(null)
        return
      }
      if (this.#distrust !== null || clock.monotonicMs() >= until) {
        this.#conclude(problem)
        return
      }
      await clock.sleep(LOOK_AGAIN_MS)
    }
  }

  #conclude(reason: string | null): void {
    if (reason === this.#distrust) return
    this.#distrust = reason
    this.#options.onChange(this.readinessProblem())
  }

  async #problem(): Promise<string | null> {
    this.#timelines = await readTimelines(this.#options.store)
    const present = this.#timelines.at(-1)
    if (present?.log !== this.log) return this.#problemOf(present)
    if (this.#seen !== null && !(await this.#isThere(this.#seen))) return putBack(this.#seen)
    for (const [name, mark] of this.#suspicions) {
      if (!(await this.#isBelieved(mark))) return putBack(mark)
      this.#confirmed.set(name, true)
      this.#suspicions.delete(name)
    }
    return null
  }

  /** The log goes by another timeline than this process: opened later on purpose, or older. */
  #problemOf(present: Timeline | undefined): string {
    const isLater = present !== undefined && present.openedAt > this.#own.openedAt
    if (!isLater || present.cause === 'first-start') {
      return `the event log does not know timeline ${this.log} any more: ${ADVICE}`
    }
    const changed = new TimelineChanged(present.log)
    this.#onChanged(changed)
    return changed.message
  }

  /** Whether a mark of another process is in this log, or in a past of it that was given up on purpose. */
  async #isBelieved(mark: LogMark): Promise<boolean> {
    if (mark.log === this.log) {
      const isThere = await this.#isThere(mark)
      if (isThere) this.know(mark)
      return isThere
    }
    if (this.#timelines.some(({ log }) => log === mark.log)) return true
    // A timeline that this log has never had, or has lost: given up on purpose if ours was opened after it.
    return this.#own.cause !== 'first-start' && mark.openedAt < this.#own.openedAt
  }

  #isThere(mark: LogMark): Promise<boolean> {
    return isThere(this.#options.store, mark)
  }
}

const ADVICE =
  'it was put back to an older state. If that was meant to be: npm run ledger -- accept-rollback'

const putBack = ({ position, stream, revision, log }: LogMark): string =>
  `the event log is not the one that was seen before (position ${position}, ${stream} revision ${revision} of timeline ${log} is not there): ${ADVICE}`

const nameOf = ({ log, position, hash }: LogMark): string => `${log} ${position} ${hash}`
