import { available, tokenAvailable } from '@tollgate/domain/account/state.ts'
import type { TokenId, UserId } from '@tollgate/domain/ids.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { Auditor } from './auditor.ts'
import type { SimulatedRequest } from './requests.ts'

/** Remembers what could be had at any time, so that no refusal is believed that has no reason. */
export interface Refusals {
  /** To be told after every event of an account. */
  note(account: UserId): void
  /** The log was put back: what could be had before says nothing. */
  putBack(): void
  /** A request that was made at `since` is refused now, by a relay that has not stood still since `awakeSince`. */
  refused(request: SimulatedRequest, since: number, awakeSince: number, reason: string): void
  /**
   * A request that was made at `since` is refused for lack of quota now: it has waited, if running requests of its
   * account were in its way all the while.
   */
  refusedWaiting(request: SimulatedRequest, since: number, awakeSince: number): void
}

interface Moment {
  readonly at: number
  /** The most that a hold could be granted; −1 = nothing, not even a hold of 0. */
  readonly most: (token: TokenId | null) => number
  /** The same if all that is held came back. */
  readonly unheld: (token: TokenId | null) => number
}

/** A refusal rests on what the owner knew when it answered: at most so long before it arrives. */
const ANSWER_AGE_MS = 1_000
/** Requests wait so long for others of their account (architecture 6, rule 6). */
const QUOTA_WAIT_MS = 2_000

/** See `Refusals`. */
export function makeRefusals(
  { scheduler, violate }: Runtime,
  { accounts, requests }: Auditor,
): Refusals {
  const history = new Map<UserId, Moment[]>()

  /**
   * Costs beyond reservations that the ledger does not know of yet, or that a relay cannot know to be paid while other
   * requests draw from the same hold: it asks for so much more.
   */
  function owedBy(account: UserId): number {
    let owed = 0
    for (const { amount, reserved, isCharged, ...request } of requests.values()) {
      if (request.account === account && !isCharged) owed += Math.max(0, amount - reserved)
    }
    for (const { endedAt, overrun } of accounts.get(account)?.holds.values() ?? []) {
      if (endedAt === null) owed += overrun
    }
    return owed
  }

  return {
    note(account) {
      const state = accounts.get(account)?.state
      if (state === undefined) return
      const free = available(state)
      const isActive = state.status === 'active'
      const { posted } = state
      const left = new Map<TokenId, number>()
      const remaining = new Map<TokenId, number>()
      for (const [id, token] of state.tokens) {
        const isEnabled = token.status === 'enabled'
        left.set(id, isEnabled ? (tokenAvailable(token) ?? Infinity) : -1)
        remaining.set(id, !isEnabled ? -1 : token.terms.unlimited ? Infinity : token.remain)
      }
      const most = (token: TokenId | null): number => {
        if (!isActive) return -1
        return token === null ? free : Math.min(free, left.get(token) ?? -1)
      }
      const unheld = (token: TokenId | null): number => {
        if (!isActive) return -1
        return token === null ? posted : Math.min(posted, remaining.get(token) ?? -1)
      }
      const moments = history.get(account) ?? []
      history.set(account, moments)
      moments.push({ at: scheduler.now(), most, unheld })
    },
    putBack: () => history.clear(),
    refused({ id, account, token, estimate }, since, awakeSince, reason) {
      const from = since - ANSWER_AGE_MS
      // A process that stood still may find an answer that is as old as its sleep.
      if (awakeSince > from) return
      const moments = history.get(account) ?? []
      const first = moments.findLastIndex(({ at }) => at <= from)
      if (first === -1) return
      const needed = estimate + owedBy(account)
      const wasPossible = moments.slice(first).every(({ most }) => most(token) >= needed)
      if (wasPossible) violate('refused-without-reason', `${id} wants ${estimate}: ${reason}`)
    },
    refusedWaiting({ id, account, token, estimate }, since, awakeSince) {
      const waited = scheduler.now() - since
      if (waited >= QUOTA_WAIT_MS || awakeSince > since - ANSWER_AGE_MS) return
      const moments = history.get(account) ?? []
      const first = moments.findLastIndex(({ at }) => at <= since - ANSWER_AGE_MS)
      if (first === -1) return
      const needed = estimate + owedBy(account)
      // Where nothing is held, there is nobody to wait for.
      const wasInTheWay = moments
        .slice(first)
        .every(({ most, unheld }) => unheld(token) >= needed && most(token) < needed)
      if (wasInTheWay) violate('not-waited', `${id} wants ${estimate}, refused after ${waited} ms`)
    },
  }
}
