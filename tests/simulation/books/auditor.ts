import type {
  AccountEvent,
  HoldExpired,
  HoldExtended,
  HoldReduced,
  HoldReleased,
  QuotaHeld,
  UsageCharged,
  UsageRefunded,
} from '@tollgate/domain/account/events.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import { postings } from '@tollgate/domain/account/postings.ts'
import { snapshotOf } from '@tollgate/domain/account/snapshot.ts'
import {
  type AccountState,
  available,
  hasAccepted,
  tokenAvailable,
  unopenedAccount,
} from '@tollgate/domain/account/state.ts'
import { numberOfStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import {
  type HoldId,
  partsOfHold,
  type TokenId,
  type UserId,
  userId,
} from '@tollgate/domain/ids.ts'
import type { UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import { holdTakesRequestsMs } from '../actors/relay.ts'
import type { TimelineOpened } from '@tollgate/domain/timeline/events.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { SimulatedRequest } from './requests.ts'

/** Sees every event as it is stored and holds it against what may happen: the invariants that must hold always. */
export interface Auditor {
  /** `by` is the timeline that whoever appended it works in; null = where there is only one. */
  see(event: RecordedEvent, by: string | null): void
  /** The usage journal has stored a message. */
  stored(message: UsageMessage): void
  /** The journal has answered that a partition's messages are all acknowledged. */
  drained(partition: number): void
  /** A relay has heard that it holds this, by the question with that nonce. */
  granted(hold: HoldId, nonce: string): void
  /** A request draws from a hold that its charge then names. */
  expect(request: SimulatedRequest): void
  /** The log was put back: these events are left of it, those are lost. */
  putBack(kept: readonly RecordedEvent[], lost: readonly RecordedEvent[]): void
  /** Requests whose charges were lost with the log. */
  readonly lostWithLog: ReadonlySet<string>
  readonly requests: ReadonlyMap<string, SimulatedRequest>
  readonly accounts: ReadonlyMap<UserId, AuditedAccount>
  /** Balances of all ledger accounts, by their postings alone. */
  readonly ledger: ReadonlyMap<string, number>
}

export interface AuditedAccount {
  state: AccountState
  /** Time of the last event: the next must not be dated before it. */
  at: number
  /** How far below zero available may be: all that the wallet paid for charges. */
  fromWallet: number
  readonly tokenFromWallet: Map<TokenId, number>
  readonly holds: Map<HoldId, AuditedHold>
}

interface AuditedHold {
  readonly openedAt: number
  endedAt: number | null
  endedBy: 'HoldReleased' | 'HoldExpired' | null
  remainingAtEnd: number
  /** Cost of its requests beyond what they had reserved. */
  overrun: number
  /** Paid by the wallet while it was open, and after. */
  fromWallet: number
  late: number
}

type RecordedAccountEvent = RecordedEvent & AccountEvent

/** See `Auditor`. */
export function makeAuditor(runtime: Runtime): Auditor {
  const accounts = new Map<UserId, AuditedAccount>()
  const requests = new Map<string, SimulatedRequest>()
  const ledger = new Map<string, number>()
  const charged = new Map<string, UsageCharged['data']>()
  const refunded = new Set<string>()
  /** Stored messages that are not in the ledger yet, by hold and number. */
  const underway = new Map<string, number>()
  const drainedAt = new Map<number, number>()
  /** Holds that relays heard of, also those that are lost with the log, with the nonce of their questions. */
  const granted = new Map<HoldId, string>()
  const lostWithLog = new Set<string>()
  const seen = new Map<string, { readonly at: number; readonly by: string | null }>()
  const { scheduler } = runtime
  /** The timeline that the appending process works in; null = there is only one. */
  let log: string | null = null
  /** When what is read again after the log was put back was seen first; null = now. */
  let rereadAt: number | null = null
  const violate: Runtime['violate'] = (...found) => {
    if (rereadAt === null) runtime.violate(...found)
  }
  const now = (): number => rereadAt ?? scheduler.now()
  const isForeign = (hold: HoldId): boolean => log !== null && partsOfHold(hold).log !== log

  function see(recorded: RecordedEvent, by: string | null): void {
    log = by
    if (recorded.type === 'TimelineOpened') {
      const opened = recorded.data as unknown as TimelineOpened['data']
      runtime.trace(() => `the log goes by timeline ${opened.log}`)
    }
    if (!recorded.stream.startsWith('account-')) return
    if (rereadAt === null) seen.set(recorded.id, { at: scheduler.now(), by })
    const event = recorded as RecordedAccountEvent
    const account = userId(numberOfStream(event.stream))
    const audited = auditedOf(account)
    runtime.trace(() => `${event.stream}@${event.revision} ${event.type} ${briefly(event)}`)
    checkBefore(audited, event)
    if (event.type === 'UsageCharged') checkCharge(audited, event)
    if (event.type === 'HoldReleased' || event.type === 'HoldExpired') endHold(audited, event)
    const carried = event.type === 'BalanceCarriedForward' ? JSON.stringify(event.data.account) : ''
    if (carried !== '' && carried !== JSON.stringify(snapshotOf(audited.state))) {
      violate('carried-otherwise', event.stream)
    }
    audited.state = evolve(audited.state, event)
    audited.at = event.data.at
    for (const { from, to, amount } of postings(account, event)) {
      ledger.set(from, (ledger.get(from) ?? 0) - amount)
      ledger.set(to, (ledger.get(to) ?? 0) + amount)
    }
    checkAfter(account, audited, event)
  }

  function auditedOf(account: UserId): AuditedAccount {
    const known = accounts.get(account)
    if (known !== undefined) return known
    const audited: AuditedAccount = {
      state: unopenedAccount(),
      at: 0,
      fromWallet: 0,
      tokenFromWallet: new Map(),
      holds: new Map(),
    }
    accounts.set(account, audited)
    return audited
  }

  function checkBefore({ state, at, holds }: AuditedAccount, event: RecordedAccountEvent): void {
    if (event.data.at < at) violate('time-runs-back', `${event.type} by ${at - event.data.at} ms`)
    const isOpening = event.type === 'AccountOpened'
    if (isOpening !== (event.revision === 0)) violate('not-opened-first', event.type)
    if (event.type === 'QuotaHeld') checkHeld(state, holds, event)
    if (event.type === 'HoldExtended') checkExtended(state, event)
    if (event.type === 'HoldReduced') checkReduced(state, event)
    if (event.type === 'HoldReleased' || event.type === 'HoldExpired') checkEnd(state, event)
    if (event.type === 'UsageRefunded') checkRefund(event)
  }

  function checkHeld(
    state: AccountState,
    holds: Map<HoldId, AuditedHold>,
    event: RecordedEvent & QuotaHeld,
  ): void {
    const { hold, token, relay, nonce } = event.data
    if (holds.has(hold)) violate('hold-opened-twice', hold)
    const { account, revision } = partsOfHold(hold)
    const isItsOwn = account === numberOfStream(event.stream) && revision === event.revision
    if (!isItsOwn) violate('hold-name', hold)
    const isRepeated = [...state.holds.values()].some(
      (open) => open.relay === relay && open.nonce === nonce,
    )
    if (isRepeated) violate('nonce-held-twice', `${hold} of ${relay}`)
    checkActive(state, token, event)
    holds.set(hold, newlyHeld(scheduler.now()))
  }

  function checkExtended(state: AccountState, event: HoldExtended): void {
    const { hold, number } = event.data
    if (isForeign(hold)) violate('worked-with-other-timeline', `extended ${hold}`)
    const open = openHold(state, hold, event)
    if (open === undefined) return
    checkActive(state, open.token, event)
    if (number !== open.extension.number + 1) violate('extension-number', `${hold} ${number}`)
  }

  function checkReduced(state: AccountState, event: HoldReduced): void {
    const { hold, sequence } = event.data
    if (isForeign(hold)) violate('worked-with-other-timeline', `reduced ${hold}`)
    const open = openHold(state, hold, event)
    if (open !== undefined && hasAccepted(open.accepted, sequence)) {
      violate('accepted-twice', `${hold} #${sequence}`)
    }
    underway.delete(`${hold}#${sequence}`)
  }

  function checkEnd(state: AccountState, event: HoldReleased | HoldExpired): void {
    const { hold, amount } = event.data
    const open = openHold(state, hold, event)
    if (open !== undefined && open.remaining !== amount) {
      violate('end-amount', `${hold} ended with ${amount}`)
    }
  }

  function checkRefund({ data: { request, amount } }: UsageRefunded): void {
    if (refunded.has(request)) violate('refunded-twice', request)
    if (charged.get(request)?.amount !== amount) violate('refund-without-charge', request)
    refunded.add(request)
  }

  function openHold(state: AccountState, hold: HoldId, event: AccountEvent) {
    const open = state.holds.get(hold)
    if (open === undefined) violate('event-on-ended-hold', `${event.type} ${hold}`)
    return open
  }

  /** Nothing is granted to a suspended account or a token that is not enabled. */
  function checkActive(state: AccountState, token: TokenId | null, event: AccountEvent): void {
    const isActive = state.status === 'active'
    const isEnabled = token === null || state.tokens.get(token)?.status === 'enabled'
    if (!isActive || !isEnabled) violate('granted-to-inactive', event.type)
  }

  function checkCharge(audited: AuditedAccount, { data }: UsageCharged): void {
    const { hold: id, sequence, request, amount, fromHold, fromWallet, late, token } = data
    const hold = audited.holds.get(id)
    const asked = requests.get(request.id)
    underway.delete(`${id}#${sequence}`)
    if (charged.has(request.id)) violate('charged-twice', `${request.id} on ${id} #${sequence}`)
    charged.set(request.id, data)
    const timeline = asked?.timeline ?? null
    if (timeline !== null && timeline !== partsOfHold(id).log) {
      violate('drawn-from-other-timeline', `${request.id} drew ${id} in timeline ${timeline}`)
    }
    if (isForeign(id)) {
      if (!late || fromHold !== 0) violate('late-mark', `${request.id} on ${id}`)
      if (asked !== undefined) asked.isCharged = true
      audited.fromWallet += fromWallet
      if (token !== null) {
        const before = audited.tokenFromWallet.get(token) ?? 0
        audited.tokenFromWallet.set(token, before + fromWallet)
      }
      return
    }
    if (hold === undefined || asked === undefined || asked.settledAt === null) {
      violate('charged-unanswered', request.id)
      return
    }
    asked.isCharged = true
    if (asked.amount !== amount || fromHold + fromWallet !== amount || asked.token !== token) {
      violate('charged-otherwise', `${request.id}: ${asked.amount} became ${amount}`)
    }
    if (asked.asksForMore && amount > asked.reserved) {
      violate('delivered-uncovered', `${request.id}: ${amount}, ${asked.reserved} were covered`)
    }
    if (late !== (hold.endedAt !== null)) violate('late-mark', `${request.id} on ${id}`)
    const open = audited.state.holds.get(id)
    if (open !== undefined && hasAccepted(open.accepted, sequence)) {
      violate('accepted-twice', `${id} #${sequence}`)
    }
    if (asked.drawnAt !== null && hold.endedAt !== null && hold.endedAt < asked.drawnAt) {
      violate('drawn-from-ended-hold', `${request.id} drew ${id} after its end`)
    }
    // A relay that stood still meanwhile may have lost time by both of its clocks.
    const isAgeKnown = asked.relayAwakeSince < hold.openedAt
    if (isAgeKnown && (asked.startedAt ?? 0) - hold.openedAt > holdTakesRequestsMs(runtime)) {
      violate('let-into-old-hold', `${request.id} on ${id}`)
    }
    hold.overrun += Math.max(0, amount - asked.reserved)
    audited.fromWallet += fromWallet
    if (token !== null) {
      audited.tokenFromWallet.set(token, (audited.tokenFromWallet.get(token) ?? 0) + fromWallet)
    }
    if (late) {
      hold.late += amount
      if (hold.endedBy === 'HoldReleased') violate('late-after-release', `${request.id} on ${id}`)
    } else {
      hold.fromWallet += fromWallet
    }
    if (hold.fromWallet > hold.overrun) {
      violate('hold-does-not-cover', `${id}: ${hold.fromWallet} from the wallet`)
    }
    if (hold.late > hold.remainingAtEnd + hold.overrun) {
      violate('late-beyond-hold', `${id}: ${hold.late} late, ${hold.remainingAtEnd} were left`)
    }
  }

  function endHold({ holds }: AuditedAccount, { type, data }: HoldReleased | HoldExpired): void {
    const hold = holds.get(data.hold)
    if (hold === undefined) return
    hold.endedAt = now()
    hold.endedBy = type
    hold.remainingAtEnd = data.amount
    if (type !== 'HoldExpired' || isForeign(data.hold)) return
    const until = drainedAt.get(partitionOf(partsOfHold(data.hold).account)) ?? Infinity
    for (const [message, storedAt] of underway) {
      if (message.startsWith(`${data.hold}#`) && storedAt < until) {
        violate('expired-over-own-charge', message)
      }
    }
  }

  function checkAfter(account: UserId, audited: AuditedAccount, event: AccountEvent): void {
    const { state } = audited
    let held = 0
    for (const [id, { remaining }] of state.holds) {
      held += remaining
      if (remaining < 0) violate('hold-below-zero', `${id} ${remaining}`)
    }
    const wallet = ledger.get(`wallet:${account}`) ?? 0
    const free = available(state)
    if (state.held !== held || (ledger.get(`held:${account}`) ?? 0) !== held) {
      violate('held-differs', `account ${account} after ${event.type}`)
    }
    if (wallet !== free) violate('wallet-differs', `account ${account} after ${event.type}`)
    if (free < 0 - audited.fromWallet) {
      violate('below-floor', `account ${account}: ${free} after ${event.type}`)
    }
    if (takesQuota(event) && free < 0) {
      violate('taken-beyond-available', `account ${account}: ${free} after ${event.type}`)
    }
    for (const [id, token] of state.tokens) {
      const left = tokenAvailable(token)
      if (event.type === 'TokenRevised' && event.data.token === id) {
        // Its owner may take away what is spent or held already.
        audited.tokenFromWallet.set(id, Math.max(0, 0 - (left ?? 0)))
      }
      if (left !== null && left < 0 - (audited.tokenFromWallet.get(id) ?? 0)) {
        violate('token-below-floor', `token ${id} of ${account}: ${left} after ${event.type}`)
      }
    }
  }

  return {
    see,
    stored(message) {
      const name = `${message.hold}#${message.sequence}`
      const request = message.type === 'usage' ? requests.get(message.request.id) : undefined
      if (request !== undefined) request.isStored = true
      const isKnown =
        underway.has(name) ||
        hasAccepted(
          accounts.get(message.account)?.state.holds.get(message.hold)?.accepted ?? [],
          message.sequence,
        ) ||
        (message.type === 'usage' && charged.has(message.request.id))
      if (!isKnown) underway.set(name, scheduler.now())
    },
    drained: (partition) => void drainedAt.set(partition, scheduler.now()),
    granted(hold, nonce) {
      if ((granted.get(hold) ?? nonce) !== nonce) violate('hold-granted-twice', hold)
      granted.set(hold, nonce)
    },
    expect: (request) => void requests.set(request.id, request),
    putBack(kept, lost) {
      for (const { type, data } of lost) {
        if (type !== 'UsageCharged') continue
        const { id } = (data as unknown as UsageCharged['data']).request
        lostWithLog.add(id)
        const request = requests.get(id)
        if (request !== undefined) request.isCharged = false
      }
      for (const book of [accounts, ledger, charged, refunded, underway]) book.clear()
      for (const event of kept) {
        const { at, by } = seen.get(event.id) ?? { at: 0, by: null }
        rereadAt = at
        see(event, by)
      }
      rereadAt = null
    },
    lostWithLog,
    requests,
    accounts,
    ledger,
  }
}

const newlyHeld = (openedAt: number): AuditedHold => ({
  openedAt,
  endedAt: null,
  endedBy: null,
  remainingAtEnd: 0,
  overrun: 0,
  fromWallet: 0,
  late: 0,
})

const takesQuota = (event: AccountEvent): boolean =>
  event.type === 'QuotaDebited' ||
  ((event.type === 'QuotaHeld' || event.type === 'HoldExtended') && event.data.amount > 0)

/** The numbers of an event, for a trace. */
function briefly({ type, data }: AccountEvent): string {
  if (type === 'BalanceCarriedForward') return ''
  const { at: _, ...rest } = data
  const said =
    'request' in rest && typeof rest.request === 'object'
      ? { ...rest, request: rest.request.id }
      : rest
  return JSON.stringify(said)
}
