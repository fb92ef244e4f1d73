import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { carryForward, isCarryForwardDue } from '@tollgate/domain/account/carry-forward.ts'
import type { AccountState } from '@tollgate/domain/account/state.ts'
import { accountStream, type NewEvent } from '@tollgate/domain/event.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { within } from '@tollgate/domain/kernel/within.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type EventStore, ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { Timelines } from '@tollgate/domain/timeline/timelines.ts'
import { type CommandCause, newEvents } from '../aggregates/cause.ts'
import { ProcessedCauses, type Deduplication } from './processed-causes.ts'
import type { CommandOutcome } from './command-outcome.ts'
import { type DecidedBatch, decideBatch, type MailboxEntry } from './decide-batch.ts'
import { LateCharges } from './late-charges.ts'
import { CommandDeadlineExceeded } from './command-deadline-exceeded.ts'
import { bytesOf, loadAccount, type LoadedAccount, NO_EVENTS } from './load-account.ts'
import { RetryLog, type RetryLogger } from '../aggregates/retry-log.ts'
import { type Written, writeDecided } from '../aggregates/write-decided.ts'

export type { CommandOutcome } from './command-outcome.ts'

/** Commands decided and appended together at most. */
const BATCH_COMMANDS_MAX = 100
/** A BalanceCarriedForward larger than this would not fit the store's 1 MiB: the account is then read from further back. */
const CARRIED_BYTES_MAX = 960 * 1024
/** A BalanceCarriedForward up to this size rides on the commands' own append: it cannot make that one too large. */
const INLINE_SNAPSHOT_BYTES_MAX = 64 * 1024
/** Accounts kept in memory; one takes under 1 KiB unless it has many tokens. */
const RESIDENT_ACCOUNTS_MAX = 50_000
/** Commands that may wait for one account before further ones are turned away. */
const QUEUE_COMMANDS_MAX = 20_000

export interface AccountLedgerOptions {
  readonly store: EventStore
  readonly clock: Clock
  readonly randomness: Randomness
  /** Timelines of the log at the start of this process; a new one begins with another process. */
  readonly timelines: Timelines
  readonly residentAccountsMax?: number
  /** Gets a message when appends are retried, and when no longer. */
  readonly log?: RetryLogger
}

export interface CommandOptions {
  readonly deduplicateFrom?: Deduplication | null
  /** Unix milliseconds after which the caller waits for the outcome no more. */
  readonly deadline?: number | null
}

/** The part of the ledger that commands need, whichever process owns the account. */
export type Ledger = Pick<AccountLedger, 'execute' | 'inspect'>

/** Too many commands wait for this account already; ask again later. */
export class AccountBusy extends Error {
  readonly code = 'ACCOUNT_BUSY'
  readonly retryable = true
  constructor(account: UserId) {
    super(`more than ${QUEUE_COMMANDS_MAX} commands wait for account ${account}`)
    this.name = 'AccountBusy'
  }
}

/**
 * The one writer of accounts: load → decide → append. Every account has a mailbox that is worked off in order with one
 * append in flight; what waits meanwhile is decided together and appended as one. Appends of different accounts run
 * side by side, and the store gathers them into group commits. Answers are given after the append is acknowledged.
 */
export class AccountLedger {
  readonly timelines: Timelines
  readonly #store: EventStore
  readonly #clock: Clock
  readonly #randomness: Randomness
  readonly #residentMax: number
  readonly #retries: RetryLog | undefined
  readonly #residents = new Map<UserId, Resident>()
  #isStopping = false

  constructor(options: AccountLedgerOptions) {
    this.timelines = options.timelines
    this.#store = options.store
    this.#clock = options.clock
    this.#randomness = options.randomness
    this.#retries = options.log && new RetryLog(options.log, options.clock)
    this.#residentMax = options.residentAccountsMax ?? RESIDENT_ACCOUNTS_MAX
  }

  /**
   * Has a command decided in its turn. Fails with AccountBusy, or with StoreUnavailable when the account cannot be
   * read or the process is stopping. With `deduplicateFrom` a step that was taken before is done without events. With a
   * deadline it fails with CommandDeadlineExceeded when that has passed: one that was not begun is dropped; of one that was, the
   * outcome is unknown, and the append goes on until it is known here.
   */
  execute(
    account: UserId,
    command: AccountCommand,
    cause: CommandCause,
    { deduplicateFrom = null, deadline = null }: CommandOptions = {},
  ): Promise<CommandOutcome> {
    const resident = this.#residentOf(account)
    if (resident.queue.length >= QUEUE_COMMANDS_MAX) return Promise.reject(new AccountBusy(account))
    const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome>()
    const entry: MailboxEntry = { command, cause, deduplicateFrom, deadline, resolve, reject }
    resident.queue.push(entry)
    if (!resident.isBusy) void this.#workOff(resident)
    if (deadline === null) return promise
    return within(deadline - this.#clock.now(), this.#clock, promise, () => {
      const waitsAt = resident.queue.indexOf(entry)
      if (waitsAt >= 0) resident.queue.splice(waitsAt, 1)
      throw new CommandDeadlineExceeded(
        account,
        cause.causationId,
        waitsAt >= 0 ? 'none' : 'unknown',
      )
    })
  }

  /**
   * The account as its writer sees it, after every earlier command and before any later one. For answers, never for
   * decisions elsewhere. `look` copies out what it needs: its state changes on afterwards.
   */
  async inspect<Answer>(account: UserId, look: (state: AccountState) => Answer): Promise<Answer> {
    const resident = this.#residentOf(account)
    return new Promise((resolve, reject) => {
      const looked = (state: AccountState): (() => void) => {
        try {
          const answer = look(state)
          return () => resolve(answer)
        } catch (error) {
          return () => reject(error)
        }
      }
      resident.queue.push({ look: looked, reject })
      if (!resident.isBusy) void this.#workOff(resident)
    })
  }

  /** The account as the log has it at this moment, for a process that does not own it. */
  async read<Answer>(account: UserId, look: (state: AccountState) => Answer): Promise<Answer> {
    return look((await loadAccount(this.#store, accountStream(account))).state)
  }

  /**
   * Another process may have written to these accounts: they are read again before anything is decided or answered.
   * To be called when their ownership was taken.
   */
  invalidate(isUncertain: (account: UserId) => boolean): void {
    for (const resident of this.#residents.values()) {
      if (!isUncertain(resident.account)) continue
      resident.loaded = null
      resident.invalidations += 1
    }
  }

  /** Stops repeating unanswered appends. Commands that are still queued fail with StoreUnavailable. */
  stop(): void {
    this.#isStopping = true
  }

  #residentOf(account: UserId): Resident {
    const known = this.#residents.get(account)
    if (known !== undefined) {
      // Re-inserted, so that the map's order is by last use.
      this.#residents.delete(account)
      this.#residents.set(account, known)
      return known
    }
    const resident: Resident = {
      account,
      stream: accountStream(account),
      queue: [],
      isBusy: false,
      snapshotPending: false,
      loaded: null,
      invalidations: 0,
    }
    this.#residents.set(account, resident)
    if (this.#residents.size > this.#residentMax) this.#forgetIdle()
    return resident
  }

  #forgetIdle(): void {
    for (const [account, resident] of this.#residents) {
      if (this.#residents.size <= this.#residentMax) return
      if (!resident.isBusy && resident.queue.length === 0) this.#residents.delete(account)
    }
  }

  async #workOff(resident: Resident): Promise<void> {
    resident.isBusy = true
    // The rest of this turn may add commands of the same moment; they join the first batch.
    await Promise.resolve()
    while (resident.queue.length > 0) {
      const batch = this.#inTime(resident, resident.queue.splice(0, BATCH_COMMANDS_MAX))
      if (batch.length === 0) continue
      await this.#handleOrReject(resident, batch)
      await this.#carryForwardWhenOwed(resident)
    }
    resident.isBusy = false
  }

  /** Drops commands whose callers wait no more. */
  #inTime({ account }: Resident, batch: readonly MailboxEntry[]): readonly MailboxEntry[] {
    const now = this.#clock.now()
    return batch.filter((entry) => {
      if ('look' in entry || entry.deadline === null || entry.deadline > now) return true
      entry.reject(new CommandDeadlineExceeded(account, entry.cause.causationId, 'none'))
      return false
    })
  }

  /** Commands fail alone: when a batch fails, its commands are tried one by one, and only the culprit fails. */
  async #handleOrReject(resident: Resident, batch: readonly MailboxEntry[]): Promise<void> {
    try {
      await this.#handle(resident, batch)
    } catch (error) {
      resident.loaded = null
      if (batch.length === 1 || isTransient(error)) {
        for (const entry of batch) entry.reject(error)
        return
      }
      for (const entry of batch) await this.#handleOrReject(resident, [entry])
    }
  }

  /** One batch: decided against the present state, appended as a whole, answered. */
  async #handle(resident: Resident, batch: readonly MailboxEntry[]): Promise<void> {
    const { account, stream } = resident
    const { decided, position } = await this.#write(resident, async (loaded, at) => {
      const decided = decideBatch(loaded, batch, {
        account,
        at,
        randomness: this.#randomness,
        timelines: this.timelines,
        ...(await this.#scanFor(batch, stream, loaded)),
      })
      if (decided.events.length > 0) {
        const inlineSnapshot = this.#inlineSnapshot(resident, loaded, decided, at)
        if (inlineSnapshot === null) return decided
        return { ...decided, events: [...decided.events, ...inlineSnapshot], since: NO_EVENTS }
      }
      return decided.needsConfirming && !(await this.#isNewest(stream, loaded)) ? null : decided
    })
    if (decided.postponed.length > 0) resident.queue.unshift(...decided.postponed)
    for (const answer of decided.answers) answer(position)
  }

  /** Loads, decides, appends; the account is remembered as it is then. */
  async #write<Decided extends ChangedAccount>(
    resident: Resident,
    decide: (loaded: LoadedAccount, at: number) => Decided | null | Promise<Decided | null>,
  ): Promise<Written<LoadedAccount, Decided>> {
    const { stream } = resident
    let isAgain = false
    let { invalidations } = resident
    const written = await writeDecided(
      { store: this.#store, clock: this.#clock },
      {
        stream,
        load: async () => {
          if (isAgain) resident.loaded = null
          isAgain = true
          ;({ invalidations } = resident)
          const loaded = resident.loaded ?? (await loadAccount(this.#store, stream))
          if (resident.invalidations === invalidations) resident.loaded = loaded
          return loaded
        },
        decide: (loaded, { at }) => decide(loaded, at),
        attemptsMs: Infinity,
        isStopping: () => this.#isStopping,
        log: this.#retries,
      },
    )
    const { loaded, decided, events, head, position, at } = written
    if (events.length === 0) return written
    for (const event of events) loaded.causes.note(event, event)
    const { state, since } = decided
    const isCertain = resident.invalidations === invalidations
    resident.loaded = isCertain ? { ...loaded, state, head, position, at, since } : null
    return written
  }

  /** The balance to carry forward right behind the commands' events; null when it is not due, or large. */
  #inlineSnapshot(
    resident: Resident,
    { causes }: LoadedAccount,
    { state, since, events }: DecidedBatch,
    at: number,
  ): readonly NewEvent[] | null {
    if (!isCarryForwardDue(state, since, causes.bytes)) return null
    const carried = carryForward(state, at, causes.carried(events))
    resident.snapshotPending = bytesOf(carried) > INLINE_SNAPSHOT_BYTES_MAX
    return resident.snapshotPending ? null : newEvents([carried], SYSTEM_CAUSE, this.#randomness)
  }

  /** A large one has an append of its own, after the commands' events: it must never be in their way. */
  async #carryForwardWhenOwed(resident: Resident): Promise<void> {
    if (resident.loaded === null || !resident.snapshotPending) return
    resident.snapshotPending = false
    try {
      await this.#write(resident, (loaded, at) => {
        const carried = carryForward(loaded.state, at, loaded.causes.carried([]))
        const isStorable = bytesOf(carried) <= CARRIED_BYTES_MAX
        // One that is too large is not tried again before as many events have come once more.
        if (!isStorable && resident.loaded !== null) {
          resident.loaded = { ...loaded, since: NO_EVENTS }
        }
        const events = isStorable ? newEvents([carried], SYSTEM_CAUSE, this.#randomness) : []
        return { state: loaded.state, since: NO_EVENTS, events }
      })
    } catch {
      // No caller waits for this; whatever the failure, the account is read again before the next decision.
      resident.loaded = null
    }
  }

  /**
   * Reads from the stream all that decisions on this batch need: late charges (rule 9) and steps taken before (rule 4).
   */
  async #scanFor(batch: readonly MailboxEntry[], stream: string, loaded: LoadedAccount) {
    const late = new LateCharges(this.timelines)
    const caused = new ProcessedCauses()
    for (const entry of batch) {
      if ('look' in entry) continue
      await late.scan(this.#store, stream, loaded, entry.command)
      await caused.scan(this.#store, stream, loaded, entry)
    }
    return { late, caused }
  }

  /** Rule 3: an answer that appended nothing is only given when the state it rests on is the stream's newest. */
  async #isNewest(stream: string, { head }: LoadedAccount): Promise<boolean> {
    const behind = { from: head.revision + 1, prevHash: head.hash, limit: 1 }
    try {
      for await (const _ of this.#store.readStream(stream, behind)) return false
      return true
    } catch (error) {
      // Set aside or not, which the stream says when it is read anew.
      if (error instanceof ForeignEvent) return false
      throw error
    }
  }
}

/** An account with its decided events. */
type ChangedAccount = Pick<DecidedBatch, 'state' | 'since' | 'events'>

interface Resident {
  readonly account: UserId
  readonly stream: string
  readonly queue: MailboxEntry[]
  isBusy: boolean
  /** The balance is to be carried forward, by an append of its own. */
  snapshotPending: boolean
  /** Null until read, and again after anything that makes memory uncertain. */
  loaded: LoadedAccount | null
  /** A read or an append that was under way at the last of them is not remembered. */
  invalidations: number
}

const SYSTEM_CAUSE: CommandCause = {
  actor: 'system',
  correlationId: 'carry-forward',
  causationId: null,
}
