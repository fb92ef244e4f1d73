import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { carryForward, isCarryForwardDue } from '@tollgate/domain/account/carry-forward.ts'
import { decide } from '@tollgate/domain/account/decider.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import type { AccountRejection } from '@tollgate/domain/account/rejections.ts'
import { type AccountState, unopenedAccount } from '@tollgate/domain/account/state.ts'
import {
  accountStream,
  LOG_START,
  type NewEvent,
  type Position,
  type RecordedEvent,
} from '@tollgate/domain/event.ts'
import { partsOfHold, type UserId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  type AppendedEvents,
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import { appendUntilKnown } from './append.ts'
import { type CommandCause, newEvents } from './cause.ts'
import { CausedBefore, type OnlyOnce } from './caused-before.ts'

/** Commands decided and appended together at most, and bytes of their events after which a batch is closed. */
const BATCH_COMMANDS_MAX = 100
const BATCH_BYTES_MAX = 512 * 1024
/** What an event takes besides its data: metadata with two hashes, ids, type. */
const EVENT_FRAME_BYTES = 500
/** A BalanceCarriedForward larger than this would not fit the store's 1 MiB: the account is then read from further back. */
const CARRIED_BYTES_MAX = 960 * 1024
/** A BalanceCarriedForward up to this size rides on the commands' own append: it cannot make that one too large. */
const RIDING_BYTES_MAX = 64 * 1024
/** Accounts kept in memory; one takes under 1 KiB unless it has many tokens. */
const RESIDENT_ACCOUNTS_MAX = 50_000
/** Commands that may wait for one account before further ones are turned away. */
const QUEUE_COMMANDS_MAX = 20_000

export interface AccountLedgerOptions {
  readonly store: EventStore
  readonly clock: Clock
  readonly randomness: Randomness
  readonly residentAccountsMax?: number
}

export type CommandOutcome =
  | {
      readonly status: 'done'
      /** Of the command's last event; of the account's last known one when nothing had to change. */
      readonly position: Position
      /** None when the command was a repetition. */
      readonly events: readonly AccountEvent[]
    }
  | { readonly status: 'rejected'; readonly rejection: AccountRejection }

/** What commands need of the ledger, whoever owns the account. */
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
  readonly #store: EventStore
  readonly #clock: Clock
  readonly #randomness: Randomness
  readonly #residentMax: number
  readonly #residents = new Map<UserId, Resident>()
  #isStopping = false

  constructor(options: AccountLedgerOptions) {
    this.#store = options.store
    this.#clock = options.clock
    this.#randomness = options.randomness
    this.#residentMax = options.residentAccountsMax ?? RESIDENT_ACCOUNTS_MAX
  }

  /**
   * Has a command decided in its turn. Fails with AccountBusy, or with StoreUnavailable when the account cannot be
   * read or the process is stopping. With `onlyOnceFrom` a step that was taken before is done without events.
   */
  execute(
    account: UserId,
    command: AccountCommand,
    cause: CommandCause,
    options: { readonly onlyOnceFrom?: OnlyOnce } = {},
  ): Promise<CommandOutcome> {
    const onlyOnceFrom = options.onlyOnceFrom ?? null
    const resident = this.#residentOf(account)
    if (resident.queue.length >= QUEUE_COMMANDS_MAX) return Promise.reject(new AccountBusy(account))
    return new Promise((resolve, reject) => {
      resident.queue.push({ command, cause, onlyOnceFrom, resolve, reject })
      if (!resident.isBusy) void this.#workOff(resident)
    })
  }

  /** The account as its writer sees it, after everything that was asked before. For answers, never for decisions elsewhere. */
  async inspect<Answer>(account: UserId, look: (state: AccountState) => Answer): Promise<Answer> {
    const resident = this.#residentOf(account)
    return new Promise((resolve, reject) => {
      const answer = (state: AccountState): void => {
        try {
          resolve(look(state))
        } catch (error) {
          reject(error)
        }
      }
      resident.queue.push({ look: answer, reject })
      if (!resident.isBusy) void this.#workOff(resident)
    })
  }

  /** The account as the log has it at this moment, for a process that does not own it. */
  async read<Answer>(account: UserId, look: (state: AccountState) => Answer): Promise<Answer> {
    return look((await this.#load(accountStream(account))).state)
  }

  /**
   * Another process may have written to these accounts: they are read again before anything is decided or answered.
   * To be called when their ownership was taken.
   */
  doubt(isDoubtful: (account: UserId) => boolean): void {
    for (const resident of this.#residents.values()) {
      if (isDoubtful(resident.account)) resident.loaded = null
    }
  }

  /** Stops repeating unanswered appends. What is still queued fails with StoreUnavailable. */
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
      owesBalance: false,
      loaded: null,
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
      const batch = resident.queue.splice(0, BATCH_COMMANDS_MAX)
      await this.#handleOrReject(resident, batch)
      await this.#carryForwardWhenOwed(resident)
    }
    resident.isBusy = false
  }

  /** No command shares the fate of another: what a batch cannot do is tried one by one, and only the culprit fails. */
  async #handleOrReject(resident: Resident, batch: readonly Letter[]): Promise<void> {
    try {
      await this.#handle(resident, batch)
    } catch (error) {
      resident.loaded = null
      if (batch.length === 1 || isPassing(error)) {
        for (const letter of batch) letter.reject(error)
        return
      }
      for (const letter of batch) await this.#handleOrReject(resident, [letter])
    }
  }

  /** One batch: decided against the present state, appended as a whole, answered. */
  async #handle(resident: Resident, batch: readonly Letter[]): Promise<void> {
    for (;;) {
      const loaded = (resident.loaded ??= await this.#load(resident.stream))
      const scanned = await this.#scanForLateCharges(resident, loaded, batch)
      const caused = await this.#scanForSteps(resident.stream, batch)
      const decided = this.#decideAll(resident.account, loaded, batch, scanned, caused)
      if (decided.events.length === 0) {
        if (decided.needsConfirming && !(await this.#confirmHead(resident, loaded))) continue
      } else {
        const riding = this.#riding(resident, decided)
        const events = riding === null ? decided.events : [...decided.events, ...riding]
        const appended = await this.#append(resident.stream, events, loaded.head)
        if (appended === null) {
          resident.loaded = null
          continue
        }
        resident.loaded = {
          ...loaded,
          state: decided.state,
          head: appended.head,
          position: appended.position,
          since: riding === null ? decided.since : NOTHING_SINCE,
        }
      }
      const { position } = resident.loaded ?? loaded
      if (decided.postponed.length > 0) resident.queue.unshift(...decided.postponed)
      for (const answer of decided.answers) answer(position)
      return
    }
  }

  /** The balance to carry forward right behind the commands' events; null when it is not due, or large. */
  #riding(resident: Resident, { state, since }: Decided): readonly NewEvent[] | null {
    if (!isCarryForwardDue(state, since)) return null
    const carried = carryForward(state, this.#clock.now())
    resident.owesBalance = bytesOf(carried) > RIDING_BYTES_MAX
    return resident.owesBalance ? null : newEvents([carried], SYSTEM_CAUSE, this.#randomness)
  }

  /** A large one has an append of its own, after the commands' events: it must never be in their way. */
  async #carryForwardWhenOwed(resident: Resident): Promise<void> {
    const { loaded, stream } = resident
    if (loaded === null || !resident.owesBalance) return
    resident.owesBalance = false
    const carried = carryForward(loaded.state, this.#clock.now())
    const isStorable = bytesOf(carried) <= CARRIED_BYTES_MAX
    const events = isStorable ? newEvents([carried], SYSTEM_CAUSE, this.#randomness) : []
    try {
      const appended = isStorable ? await this.#append(stream, events, loaded.head) : loaded
      resident.loaded =
        appended === null
          ? null
          : { ...loaded, head: appended.head, position: appended.position, since: NOTHING_SINCE }
    } catch {
      // Nobody waits for it; whatever kept it out, the account is read again before the next decision.
      resident.loaded = null
    }
  }

  #append(
    stream: string,
    events: readonly NewEvent[],
    head: StreamHead,
  ): Promise<AppendedEvents | null> {
    const isStopping = (): boolean => this.#isStopping
    return appendUntilKnown(this.#store, this.#clock, stream, events, head, isStopping)
  }

  #decideAll(
    account: UserId,
    loaded: Loaded,
    batch: readonly Letter[],
    scanned: LateCharges,
    caused: CausedBefore,
  ): Decided {
    const at = this.#clock.now()
    const events: NewEvent[] = []
    const answers: Decided['answers'] = []
    const postponed: Letter[] = []
    let { state } = loaded
    let needsConfirming = false
    let bytes = loaded.since.bytes
    const take = (decided: readonly AccountEvent[], cause: CommandCause): void => {
      for (const event of decided) state = evolve(state, event)
      events.push(...newEvents(decided, cause, this.#randomness))
      for (const event of decided) bytes += bytesOf(event)
    }
    for (const [index, letter] of batch.entries()) {
      if (bytes - loaded.since.bytes > BATCH_BYTES_MAX) {
        postponed.push(...batch.slice(index))
        break
      }
      if ('look' in letter) {
        const seen = state
        answers.push(() => letter.look(seen))
        continue
      }
      if (caused.has(letter)) {
        answers.push((position) => letter.resolve({ status: 'done', position, events: [] }))
        continue
      }
      const command = scanned.informed(letter.command)
      const nextRevision = loaded.head.revision + 1 + events.length
      const decision = decide(state, command, { account, at, nextRevision })
      if (decision.status === 'rejected') {
        const { rejection } = decision
        if (rejection.reason === 'hold-ended' && command.type === 'ChargeUsage') {
          // The hold ended within this batch: the charge comes again, with the stream scanned for it.
          postponed.push(letter)
          continue
        }
        needsConfirming = true
        answers.push(() => letter.resolve({ status: 'rejected', rejection }))
        continue
      }
      const decidedEvents = decision.events
      if (decidedEvents.length === 0) needsConfirming = true
      take(decidedEvents, letter.cause)
      scanned.note(command)
      caused.note(letter, decidedEvents)
      answers.push((position) =>
        letter.resolve({ status: 'done', position, events: decidedEvents }),
      )
    }
    const count = loaded.since.events + events.length
    return { state, events, answers, postponed, needsConfirming, since: { events: count, bytes } }
  }

  /** Rule 9: a charge for an ended hold is looked for in the stream, from the hold's own revision on. */
  async #scanForLateCharges(
    resident: Resident,
    loaded: Loaded,
    batch: readonly Letter[],
  ): Promise<LateCharges> {
    const late = new LateCharges()
    for (const letter of batch) {
      if ('look' in letter || letter.command.type !== 'ChargeUsage') continue
      const { hold } = letter.command
      if (loaded.state.holds.has(hold) || late.hasScanned(hold)) continue
      late.beginScan(hold)
      const from = partsOfHold(hold).revision
      for await (const event of this.#store.readStream(resident.stream, { from })) {
        late.see(event as RecordedEvent & AccountEvent)
      }
    }
    return late
  }

  /** Rule 4: a step that was taken before is found by its causation id, in the stream as it is at this decision. */
  async #scanForSteps(stream: string, batch: readonly Letter[]): Promise<CausedBefore> {
    const caused = new CausedBefore()
    for (const letter of batch) {
      if (!('look' in letter)) await caused.scan(this.#store, stream, letter)
    }
    return caused
  }

  /** Rule 3: an answer that appended nothing is only given when the state it rests on is the stream's newest. */
  async #confirmHead(resident: Resident, loaded: Loaded): Promise<boolean> {
    const from = loaded.head.revision + 1
    for await (const _ of this.#store.readStream(resident.stream, { from, limit: 1 })) {
      resident.loaded = null
      return false
    }
    return true
  }

  /** Reads backwards to the newest carry-forward, or to the beginning, and folds from there. */
  async #load(stream: string): Promise<Loaded> {
    const read: (RecordedEvent & AccountEvent)[] = []
    for await (const event of this.#store.readStream(stream, { direction: 'backwards' })) {
      read.push(event as RecordedEvent & AccountEvent)
      if (event.type === 'BalanceCarriedForward') break
    }
    read.reverse()
    let state = unopenedAccount()
    let bytes = 0
    for (const event of read) {
      state = evolve(state, event)
      bytes += bytesOf(event)
    }
    const newest = read.at(-1)
    if (newest === undefined) {
      return { state, head: EMPTY_STREAM, position: LOG_START, since: NOTHING_SINCE }
    }
    return {
      state,
      head: { revision: newest.revision, hash: newest.metadata.hash },
      position: newest.position,
      since: { events: read.length, bytes },
    }
  }
}

interface Resident {
  readonly account: UserId
  readonly stream: string
  readonly queue: Letter[]
  isBusy: boolean
  /** The balance is to be carried forward, by an append of its own. */
  owesBalance: boolean
  /** Null until read, and again after anything that makes memory doubtful. */
  loaded: Loaded | null
}

interface Loaded {
  readonly state: AccountState
  readonly head: StreamHead
  readonly position: Position
  readonly since: { readonly events: number; readonly bytes: number }
}

type Letter =
  | {
      readonly command: AccountCommand
      readonly cause: CommandCause
      readonly onlyOnceFrom: OnlyOnce | null
      readonly resolve: (outcome: CommandOutcome) => void
      readonly reject: (error: unknown) => void
    }
  | { readonly look: (state: AccountState) => void; readonly reject: (error: unknown) => void }

interface Decided {
  readonly state: AccountState
  readonly events: readonly NewEvent[]
  readonly answers: Array<(position: Position) => void>
  readonly postponed: readonly Letter[]
  readonly needsConfirming: boolean
  readonly since: Loaded['since']
}

/** What the stream says about charges of ended holds, and what this batch adds to it. */
class LateCharges {
  readonly #scanned = new Set<string>()
  readonly #charged = new Set<string>()

  hasScanned(hold: string): boolean {
    return this.#scanned.has(hold)
  }

  beginScan(hold: string): void {
    this.#scanned.add(hold)
  }

  see(event: AccountEvent): void {
    if (event.type === 'UsageCharged')
      this.#charged.add(nameOf(event.data.hold, event.data.sequence))
  }

  note(command: AccountCommand): void {
    if (command.type === 'ChargeUsage') this.#charged.add(nameOf(command.hold, command.sequence))
  }

  informed(command: AccountCommand): AccountCommand {
    if (command.type !== 'ChargeUsage' || !this.#scanned.has(command.hold)) return command
    return { ...command, chargedBefore: this.#charged.has(nameOf(command.hold, command.sequence)) }
  }
}

const nameOf = (hold: string, sequence: number): string => `${hold}#${sequence}`

const NOTHING_SINCE: Loaded['since'] = { events: 0, bytes: 0 }

const SYSTEM_CAUSE: CommandCause = {
  actor: 'system',
  correlationId: 'carry-forward',
  causationId: null,
}

const bytesOf = (event: AccountEvent): number =>
  Buffer.byteLength(JSON.stringify(event.data)) + EVENT_FRAME_BYTES

/** Trying again elsewhere or later can help; it is nobody's command that is wrong. */
const isPassing = (error: unknown): boolean =>
  error instanceof Error && 'retryable' in error && error.retryable === true
