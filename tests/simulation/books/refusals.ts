import { available, tokenAvailable } from '@tollgate/domain/account/state.ts'
import type { TokenId, UserId } from '@tollgate/domain/ids.ts'
import type { World } from '../core/world.ts'
import type { Auditor } from './auditor.ts'
import type { SimulatedRequest } from './requests.ts'

/** Remembers what could be had at any time, so that no refusal is believed that has no reason. */
export interface Refusals {
  /** To be told after every event of an account. */
  note(account: UserId): void
  /** A request that was made at `since` is refused now, by a relay that has not stood still since `awakeSince`. */
  refused(request: SimulatedRequest, since: number, awakeSince: number, reason: string): void
}

interface Moment {
  readonly at: number
  /** The most that a hold could be granted; −1 = nothing, not even a hold of 0. */
  readonly most: (token: TokenId | null) => number
}

/** A refusal rests on what the owner knew when it answered: at most so long before it arrives. */
const ANSWER_AGE_MS = 1_000

/** See `Refusals`. */
export function makeRefusals(
  { scheduler, violate }: World,
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
      const left = new Map<TokenId, number>()
      for (const [id, token] of state.tokens) {
        left.set(id, token.status === 'enabled' ? (tokenAvailable(token) ?? Infinity) : -1)
      }
      const most = (token: TokenId | null): number => {
        if (!isActive) return -1
        return token === null ? free : Math.min(free, left.get(token) ?? -1)
      }
      const moments = history.get(account) ?? []
      history.set(account, moments)
      moments.push({ at: scheduler.now(), most })
    },
    refused({ id, account, token, estimate }, since, awakeSince, reason) {
      const from = since - ANSWER_AGE_MS
      // Who stood still may find an answer that is as old as its sleep.
      if (awakeSince > from) return
      const moments = history.get(account) ?? []
      const first = moments.findLastIndex(({ at }) => at <= from)
      if (first === -1) return
      const needed = estimate + owedBy(account)
      const wasPossible = moments.slice(first).every(({ most }) => most(token) >= needed)
      if (wasPossible) violate('refused-without-reason', `${id} wants ${estimate}: ${reason}`)
    },
  }
}
