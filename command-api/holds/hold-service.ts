import type { ChargeUsage, PlaceHold, ReturnHeldQuota } from '@tollgate/domain/account/commands.ts'
import { openHoldOf } from '@tollgate/domain/account/decider.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import type { AccountRejection } from '@tollgate/domain/account/rejections.ts'
import { available } from '@tollgate/domain/account/state.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { type HoldId, partsOfHold, type RelayId, type UserId } from '@tollgate/domain/ids.ts'
import { elapsedMs, momentOf } from '@tollgate/domain/moment.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  type ExpiredQuestion,
  type ExtensionAnswer,
  type ExtensionAsk,
  HOLD_QUESTION_MS,
  type HoldAnswer,
  type HoldAsk,
  type HoldOwner,
  type HoldRefusal,
  type Relays,
} from '@tollgate/domain/ports/hold-owner.ts'
import { StreamUnusable } from '@tollgate/domain/ports/event-store.ts'
import type { LogMark } from '@tollgate/domain/timeline/log-view.ts'
import type {
  QuotaReturn,
  UsageJournal,
  UsageMessage,
  UsageReport,
} from '@tollgate/domain/ports/usage-journal.ts'
import { NO_QUOTA, type Quota } from '@tollgate/domain/quota.ts'
import { isOfAnotherTimeline } from '@tollgate/domain/timeline/timelines.ts'
import type { AccountLedger, CommandOutcome } from '../accounts/account-ledger.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { HoldLiveness } from './hold-liveness.ts'
import { IdleQuota } from './idle-quota.ts'
import type { Ownership } from '../accounts/ownership.ts'

export interface HoldServiceOptions {
  readonly ledger: AccountLedger
  readonly clock: Clock
  /** To ask for idle quota. */
  readonly relays: Relays
  readonly ownership: Ownership
  /**
   * Lets a question or message pass that says how far its relay had seen the log; fails while the log is not that one
   * any more.
   * Default: all pass.
   */
  readonly admit?: (seen: LogMark) => Promise<void>
  /** How far this process has seen the log, sent with each hold and extension; null = not sent. Default: never sent. */
  readonly seen?: () => LogMark | null
  /** Called for messages that were refused because their hold is of another timeline than the log's present one. */
  readonly onOtherTimeline?: (what: 'claim' | 'extension' | 'return', hold: HoldId) => void
}

/**
 * The owner's side of holds: grants, extends, releases and expires them, and takes in what relays publish. All of it
 * becomes commands in the account's mailbox. State that is only in memory here (claims, final numbers) may be lost at
 * any time: the holds concerned then end by expiry.
 */
export class HoldService implements HoldOwner, UsageJournal {
  readonly #ledger: AccountLedger
  readonly #ownership: Ownership
  readonly #seen: () => LogMark | null
  readonly #admit: NonNullable<HoldServiceOptions['admit']>
  readonly #onOtherTimeline: NonNullable<HoldServiceOptions['onOtherTimeline']>
  readonly #idleQuota: IdleQuota
  readonly #heard: HoldLiveness
  readonly #clock: Clock
  /** Answers under way, by the question's id: a repeated question gets the same answer. */
  readonly #answering = new Map<string, Promise<HoldAnswer | ExtensionAnswer>>()
  /** Numbers of last messages that were named but could not be released yet. */
  readonly #finals = new Map<HoldId, number>()

  constructor(options: HoldServiceOptions) {
    const { ledger, clock, relays, ownership, onOtherTimeline = () => undefined } = options
    this.#onOtherTimeline = onOtherTimeline
    this.#seen = options.seen ?? (() => null)
    this.#admit = options.admit ?? (() => Promise.resolve())
    this.#ledger = ledger
    this.#ownership = ownership
    this.#clock = clock
    this.#idleQuota = new IdleQuota(ledger, relays, clock)
    this.#heard = new HoldLiveness(clock, ownership)
  }

  placeHold(ask: HoldAsk): Promise<HoldAnswer | ExpiredQuestion> {
    return this.#answerInTime(ask, `${ask.relay} ${ask.nonce}`, () => this.#placeHold(ask))
  }

  async #placeHold(ask: HoldAsk): Promise<HoldAnswer> {
    const { account, seen: _, deadline, ...rest } = ask
    const command: PlaceHold = { type: 'PlaceHold', ...rest }
    const cause = { ...causeOfRelay(ask.relay, ask.nonce), commandId: ask.nonce }
    const outcome = await this.#askTwice(account, null, deadline, (until) =>
      this.#ledger.execute(account, command, cause, until),
    )
    if (outcome.status === 'rejected') return refusalOf(outcome.rejection)
    const held = outcome.events.find((event) => event.type === 'QuotaHeld')
    if (held !== undefined) {
      this.#heard.hear(held.data.hold)
      return this.#held(held.data.hold, held.data.amount)
    }
    // A repetition; when its hold has ended meanwhile, there is nothing to repeat: the question is a new one.
    return (await this.#repeatedGrant(account, command)) ?? this.#placeHold(ask)
  }

  extendHold(ask: ExtensionAsk): Promise<ExtensionAnswer | ExpiredQuestion> {
    return this.#answerInTime(ask, `${ask.hold}/${ask.number}`, () => this.#extendHold(ask))
  }

  async #extendHold(ask: ExtensionAsk): Promise<ExtensionAnswer> {
    const { relay, seen: _, deadline, ...rest } = ask
    const command = { type: 'ExtendHold', ...rest } as const
    const { account } = partsOfHold(ask.hold)
    const outcome = await this.#askTwice(account, ask.hold, deadline, (until) =>
      this.#ledger.execute(account, command, causeOfRelay(relay, ask.hold), until),
    )
    if (outcome.status === 'done') {
      const extended = outcome.events.find((event) => event.type === 'HoldExtended')
      if (extended !== undefined) return this.#extended(extended.data.amount)
      const repeated = await this.#ledger.inspect(
        account,
        ({ holds }) => holds.get(ask.hold)?.extension,
      )
      return repeated === undefined ? { status: 'closed' } : this.#extended(repeated.amount)
    }
    const { rejection } = outcome
    if (rejection.reason === 'other-timeline') this.#onOtherTimeline('extension', ask.hold)
    if (CLOSED.has(rejection.reason)) return { status: 'closed' }
    return refusalOf(rejection)
  }

  claimHolds(_relay: RelayId, holds: readonly HoldId[]): Promise<readonly HoldId[]> {
    return Promise.resolve(
      holds.filter((hold) => {
        if (!isOfAnotherTimeline(hold, this.#ledger.timelines)) return this.#heard.hear(hold)
        this.#onOtherTimeline('claim', hold)
        return false
      }),
    )
  }

  async finishHold(hold: HoldId, finalSequence: number): Promise<void> {
    this.#finals.set(hold, finalSequence)
    await this.#release(hold, finalSequence)
  }

  /** Resolves when the message's event is in the log; repeated messages resolve without a second event. */
  async publish(message: UsageMessage): Promise<void> {
    await this.#admitted(message.seen)
    if (message.type === 'return') await this.#takeReturn(message)
    else await this.#takeUsage(message)
  }

  /** Ends the holds that a former run of this process left behind. Resolves when all are closed. */
  async closeHoldsOfFormerRuns(holds: Iterable<HoldId>): Promise<number> {
    const closing = [...holds].map((hold) => this.#expire(hold, 'relay-restarted'))
    const outcomes = await Promise.all(closing)
    return outcomes.filter((ended) => ended).length
  }

  /**
   * Expires holds that no relay has claimed for 30 s, once all messages that relays published before are in the log: a
   * charge that waits there must find its hold open. To be called every few seconds.
   */
  async expireSilentHolds(): Promise<void> {
    this.#dropFinalsOfOthers()
    const silent = Map.groupBy(this.#heard.silent(), (hold) =>
      partitionOf(partsOfHold(hold).account),
    )
    await Promise.all([...silent].map((of) => this.#expireIfSettled(...of)))
  }

  /** Notes open holds from a read model, so that holds without claims are found after a take-over. */
  noticeOpenHolds(holds: Iterable<HoldId>): void {
    for (const hold of holds) this.#heard.notice(hold)
  }

  /** Drops a question whose deadline has passed; joins one to the answer under way for the same question. */
  async #answerInTime<Answer extends HoldAnswer | ExtensionAnswer>(
    { seen, deadline = Infinity }: Pick<HoldAsk, 'seen' | 'deadline'>,
    id: string,
    answer: () => Promise<Answer>,
  ): Promise<Answer | HoldRefusal | ExpiredQuestion> {
    const now = this.#clock.now()
    if (deadline <= now) return { status: 'expired', now }
    await this.#admitted(seen)
    // An id is one kind of question's, so its answer is of that kind.
    const underWay = this.#answering.get(id) as Promise<Answer | HoldRefusal> | undefined
    if (underWay !== undefined) return underWay
    const answering = refusingUnusable(answer()).finally(() => this.#answering.delete(id))
    this.#answering.set(id, answering)
    return answering
  }

  async #admitted(seen: LogMark | undefined): Promise<void> {
    if (seen !== undefined) await this.#admit(seen)
  }

  async #takeUsage(report: UsageReport): Promise<void> {
    const { account, relay, hold, sequence, token, amount, request, endedAt, final } = report
    const charge: ChargeUsage = {
      type: 'ChargeUsage',
      hold,
      sequence,
      token,
      amount,
      request,
      endedAt,
      chargedBefore: null,
    }
    if (final) this.#finals.set(hold, sequence)
    // Asked for in one go, so that charge and release share one append.
    const charging = this.#ledger.execute(account, charge, causeOfRelay(relay, request.id))
    // Waited for together: when both fail, neither failure may stay unhandled.
    const [outcome] = await Promise.all([charging, this.#releaseIfNamed(hold)])
    if (outcome.status === 'rejected') throw new ChargeRejected(report, outcome.rejection)
    if (outcome.events.some(isPaidByWallet)) void this.#recallFromOverdrawn(account)
  }

  /** An account below zero starts nothing, also not with quota that relays hold for it. */
  async #recallFromOverdrawn(account: UserId): Promise<void> {
    try {
      const isBelowZero = await this.#ledger.inspect(account, (state) => available(state) < 0)
      if (isBelowZero) await this.recallIdleQuota(account)
    } catch {
      // Another process owns the account by now, or this one stops: relays keep their holds until they are used.
    }
  }

  async #takeReturn(message: QuotaReturn): Promise<void> {
    const { account, relay, hold, sequence, amount } = message
    const command = { type: 'ReturnHeldQuota', hold, sequence, amount } as const
    const returning = this.#returnQuota(account, command, causeOfRelay(relay, hold))
    await Promise.all([returning, this.#releaseIfNamed(hold)])
  }

  async #returnQuota(
    account: UserId,
    command: ReturnHeldQuota,
    cause: CommandCause,
  ): Promise<void> {
    const outcome = await this.#ledger.execute(account, command, cause)
    if (outcome.status === 'done') this.#idleQuota.hasArrived(command.hold, command.amount)
    // The rest of such a hold is back in the wallet already, or will be when the hold expires.
    else if (outcome.rejection.reason === 'other-timeline') {
      this.#onOtherTimeline('return', command.hold)
    }
  }

  async #releaseIfNamed(hold: HoldId): Promise<void> {
    const final = this.#finals.get(hold)
    if (final !== undefined) await this.#release(hold, final)
  }

  async #release(hold: HoldId, finalSequence: number): Promise<void> {
    const { account } = partsOfHold(hold)
    const command = { type: 'ReleaseHold', hold, finalSequence } as const
    const outcome = await this.#ledger.execute(account, command, causeOfOwner(hold))
    const hasEnded =
      (outcome.status === 'done' && outcome.events.some(endsHold)) ||
      (await this.#ledger.inspect(account, (state) => !state.holds.has(hold)))
    if (hasEnded) this.#forget(hold)
  }

  async #expireIfSettled(partition: number, holds: readonly HoldId[]): Promise<void> {
    if (!(await this.#ownership.isBacklogAppended(partition))) return
    // That may have taken seconds, in which a relay that is back can have claimed some.
    const silent = new Set(this.#heard.silent())
    const still = holds.filter((hold) => silent.has(hold))
    await Promise.all(still.map((hold) => this.#expire(hold, 'silence')))
  }

  async #expire(hold: HoldId, cause: string): Promise<boolean> {
    const { account } = partsOfHold(hold)
    const command = { type: 'ExpireHold', hold, cause } as const
    const outcome = await this.#ledger.execute(account, command, {
      ...causeOfOwner(hold),
      actor: 'system',
    })
    this.#forget(hold)
    return outcome.status === 'done' && outcome.events.some(endsHold)
  }

  /** Drops the final numbers of holds of other owners: their owner learns the numbers anew, or expires the holds. */
  #dropFinalsOfOthers(): void {
    if (!this.#ownership.isCertain()) return
    for (const hold of this.#finals.keys()) {
      if (this.#ownership.ownedSince(partsOfHold(hold).account) === null) this.#finals.delete(hold)
    }
  }

  #forget(hold: HoldId): void {
    this.#heard.forget(hold)
    this.#finals.delete(hold)
  }

  #held(hold: HoldId, amount: Quota): HoldAnswer {
    return { status: 'held', hold, amount, ...this.#howFar() }
  }

  #extended(amount: Quota): ExtensionAnswer {
    return { status: 'extended', amount, ...this.#howFar() }
  }

  /** How far the log is seen, so that a charge to a hold says that its opening or extension was there. */
  #howFar(): { readonly seen?: LogMark } {
    const seen = this.#seen()
    return seen === null ? {} : { seen }
  }

  async #repeatedGrant(account: UserId, command: PlaceHold): Promise<HoldAnswer | null> {
    const open = await this.#ledger.inspect(account, (state) => openHoldOf(state, command))
    return open === undefined ? null : this.#held(open.id, open.hold.granted)
  }

  /**
   * Rule 6: before a lack of quota is the answer, idle quota is called back. If some came, or much else may have come
   * into the account meanwhile, the question is asked once more, with the whole time for it again.
   */
  async #askTwice(
    account: UserId,
    wanting: HoldId | null,
    deadline: number | undefined,
    ask: (options: { readonly deadline: number | null }) => Promise<CommandOutcome>,
  ): Promise<CommandOutcome> {
    // From now on, not until the relay's deadline: their clocks may differ by almost as much as a question may take.
    const askInTime = (): Promise<CommandOutcome> =>
      ask({ deadline: deadline === undefined ? null : this.#clock.now() + HOLD_QUESTION_MS })
    const first = await askInTime()
    if (first.status === 'done' || !lacksQuota(first.rejection)) return first
    const refused = momentOf(this.#clock)
    const isReturned = await this.#idleQuota.callBack(account, wanting)
    const isOld = elapsedMs(refused, this.#clock) > HOLD_QUESTION_MS
    return isReturned || isOld ? askInTime() : first
  }

  /** Rule 11: calls idle quota back before a debit is refused; resolves when it has come or the time for it is up. */
  async recallIdleQuota(account: UserId): Promise<void> {
    await this.#idleQuota.callBack(account, null)
  }
}

/** The ledger has no place for a charge, as for one of an account that it does not know: it belongs to another log. */
class ChargeRejected extends Error {
  readonly code = 'CHARGE_REJECTED'
  readonly retryable = false
  constructor({ account, hold, sequence }: UsageReport, { reason }: AccountRejection) {
    super(`charge ${hold}/${sequence} of account ${account} was rejected: ${reason}`)
    this.name = 'ChargeRejected'
  }
}

const isPaidByWallet = (event: AccountEvent): boolean =>
  event.type === 'UsageCharged' && event.data.fromWallet > 0

const endsHold = (event: AccountEvent): boolean =>
  event.type === 'HoldReleased' || event.type === 'HoldExpired'

/** A hold for which nothing more is granted, whatever is available. */
const CLOSED: ReadonlySet<AccountRejection['reason']> = new Set([
  'hold-ended',
  'extension-out-of-order',
  'other-timeline',
])

const lacksQuota = ({ reason }: AccountRejection): boolean =>
  reason === 'insufficient-quota' || reason === 'insufficient-token-quota'

/** An account whose stream another client has spoilt gives no quota: a refusal, which is not retried. */
async function refusingUnusable<Answer>(asked: Promise<Answer>): Promise<Answer | HoldRefusal> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof StreamUnusable)) throw error
    return { status: 'refused', reason: 'account-locked', available: NO_QUOTA, balance: NO_QUOTA }
  }
}

function refusalOf(rejection: AccountRejection): HoldRefusal {
  const refused = (
    reason: HoldRefusal['reason'],
    available = NO_QUOTA,
    balance = NO_QUOTA,
  ): HoldRefusal => ({ status: 'refused', reason, available, balance })
  const { reason } = rejection
  if (reason === 'insufficient-quota' || reason === 'insufficient-token-quota') {
    return refused(reason, rejection.available, rejection.balance)
  }
  if (reason === 'token-exhausted') return refused('insufficient-token-quota')
  return refused(isSaidToRelays(reason) ? reason : 'token-not-active')
}

const SAID_TO_RELAYS = [
  'account-not-open',
  'account-suspended',
  'token-unknown',
  'too-many-holds',
] as const

const isSaidToRelays = (reason: string): reason is (typeof SAID_TO_RELAYS)[number] =>
  SAID_TO_RELAYS.some((said) => said === reason)

const causeOfRelay = (relay: RelayId, correlationId: string): CommandCause => ({
  actor: `relay:${relay}`,
  correlationId,
  causationId: null,
})

/** The owner's own doing, about one hold. */
const causeOfOwner = (hold: HoldId): CommandCause => ({
  actor: 'system',
  correlationId: hold,
  causationId: null,
})
