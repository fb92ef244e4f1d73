import { type BackOff, backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { StreamUnusable } from '@tollgate/domain/ports/event-store.ts'
import type {
  UsageJournal,
  UsageMessage,
  UsageReport,
} from '@tollgate/domain/ports/usage-journal.ts'
import type { ChargeSpool } from './charge-spool.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'

const AGAIN: BackOff = { firstMs: 20, mostMs: 1_000 }
/**
 * A charge that waits longer is written to the spool. Less than the time after which a client learns that its charge
 * follows (RELAY_LIMITS.settleWaitMs), by more than the disk needs.
 */
const SPOOL_AFTER_MS = 8_000

export interface UsagePublisherOptions {
  readonly journal: UsageJournal
  readonly spool: ChargeSpool
  readonly clock: Pick<Clock, 'sleep' | 'monotonicMs'>
  /** Gets messages that the journal refuses for good: a bug, here or at the owner. */
  readonly onFault: (error: unknown, what: string) => void
}

/**
 * Publishes each message for as long as it takes: a finished answer's charge is never given up. A charge that waits
 * long, that waits when the relay ends, or that the journal refuses for good goes to the spool.
 */
export class UsagePublisher {
  readonly #options: UsagePublisherOptions
  readonly #pending = new Set<Pending>()
  #hasHandedOver = false

  constructor(options: UsagePublisherOptions) {
    this.#options = options
  }

  /** Messages that the journal has not acknowledged yet. */
  get waiting(): number {
    return this.#pending.size
  }

  /**
   * Resolves when the journal has the message, asked again with the very same one until it does; after `handOver`, or
   * while its account is locked, when the spool has it.
   */
  async publish(message: UsageMessage): Promise<void> {
    const { spool, clock } = this.#options
    if (this.#hasHandedOver) {
      if (message.type === 'usage') spool.saveNow([message])
      return
    }
    const kept = Promise.withResolvers<void>()
    const pending: Pending = {
      message,
      since: clock.monotonicMs(),
      saved: 'no',
      isLocked: false,
      onKept: kept.resolve,
    }
    this.#pending.add(pending)
    const taken = this.#publishUntilTaken(pending)
    // A failure after the charge was kept goes to onFault; the caller has its answer by then.
    taken.catch(() => undefined)
    await Promise.race([taken, kept.promise])
  }

  async #publishUntilTaken(pending: Pending): Promise<void> {
    const { spool, clock } = this.#options
    const { message } = pending
    try {
      for (let failures = 1; !(await this.#isTaken(pending, failures > 1)); failures++) {
        if (this.#hasHandedOver) return
        await clock.sleep(backOffMs(failures, AGAIN))
      }
      if (pending.saved !== 'no' && message.type === 'usage') spool.delivered(message)
    } finally {
      this.#pending.delete(pending)
    }
  }

  /**
   * Writes messages that have waited long to the spool; they go on being published. To be called about every second.
   */
  saveLate(): void {
    const before = this.#options.clock.monotonicMs() - SPOOL_AFTER_MS
    const late = this.#charges(({ since, saved }) => saved === 'no' && since <= before)
    if (late.length > 0) void this.#save(late)
  }

  /** Writes every charge that still waits to the spool, before this returns. Nothing is published again from then on. */
  handOver(): void {
    this.#hasHandedOver = true
    const left = this.#charges(({ saved }) => saved !== 'saved')
    for (const pending of left) pending.saved = 'saved'
    if (left.length > 0) this.#options.spool.saveNow(left.map(({ message }) => message))
  }

  async #save(charges: readonly PendingCharge[]): Promise<void> {
    for (const pending of charges) pending.saved = 'saving'
    const isOnDisk = await this.#options.spool.save(charges.map(({ message }) => message))
    for (const pending of charges) {
      if (pending.saved === 'saving') pending.saved = isOnDisk ? 'saved' : 'no'
      tellIfKept(pending)
    }
  }

  /** Idle quota that was not returned is left out: it comes back when its hold expires. */
  #charges(isWanted: (pending: Pending) => boolean): readonly PendingCharge[] {
    return [...this.#pending].filter(isCharge).filter(isWanted)
  }

  async #isTaken(pending: Pending, isRepeated: boolean): Promise<boolean> {
    const { journal, spool, onFault } = this.#options
    const { message } = pending
    try {
      await journal.publish(message, isRepeated)
      return true
    } catch (error) {
      if (isTransient(error)) return false
      if (error instanceof StreamUnusable) {
        // The account goes on when an operator has acted, and is charged then: its client does not wait for that.
        pending.isLocked = true
        if (isCharge(pending) && pending.saved === 'no') void this.#save([pending])
        tellIfKept(pending)
        return false
      }
      onFault(error, `publishing ${JSON.stringify(message)}`)
      if (message.type === 'usage') await spool.setAside(message, String(error))
      throw error
    }
  }
}

interface Pending {
  readonly message: UsageMessage
  /** Monotonic milliseconds. */
  readonly since: number
  /** Whether it is in the spool. */
  saved: 'no' | 'saving' | 'saved'
  /** Its account was, when the journal was asked last. */
  isLocked: boolean
  /** Called when the spool has it and the account is locked. */
  readonly onKept: () => void
}

function tellIfKept({ saved, isLocked, onKept }: Pending): void {
  if (saved === 'saved' && isLocked) onKept()
}

type PendingCharge = Pending & { readonly message: UsageReport }

const isCharge = (pending: Pending): pending is PendingCharge => pending.message.type === 'usage'
