import type { HoldId, RelayId, TokenId } from '../ids.ts'
import { NO_QUOTA, minus, type Quota } from '../quota.ts'
import type { TokenTerms } from './token-terms.ts'

/**
 * One account as its events leave it: posted = wallet + held, available = posted − held.
 * A state has one owner: `evolve` consumes the value it is given and reuses its maps, so that a charge on an account
 * with ten thousand tokens costs the same as on one with a single token.
 */
export interface AccountState {
  readonly status: AccountStatus
  /** Credits minus charges. Falls below zero by late charges and by costs beyond reservations only. */
  readonly posted: Quota
  /** Reserved by open holds; the sum of their `remaining`. */
  readonly held: Quota
  /** Affiliate rewards earned and not yet transferred. */
  readonly affiliate: Quota
  readonly usedQuota: Quota
  /**
   * The number of charges that were not refunded; more, where an older version has carried a balance forward. Nothing
   * is decided by it.
   */
  readonly requestCount: number
  readonly tokens: Map<TokenId, TokenState>
  readonly holds: Map<HoldId, HoldState>
  /**
   * The sequences accepted for the holds that ended last, in the order of their ends, at most ENDED_HOLDS_MAX: most
   * late charges are judged by them. No part of a snapshot: an account that was just loaded knows fewer of them.
   */
  readonly ended: Map<HoldId, AcceptedSequences>
  /** About how many bytes the tokens take in a snapshot; kept in step, as an account may have ten thousand. */
  readonly tokenBytes: number
}

export type AccountStatus = 'unopened' | 'active' | 'suspended'

export interface TokenState {
  readonly status: TokenStatus
  readonly terms: TokenTerms
  /** The quota that the token may still spend, held or not; means nothing while unlimited. */
  readonly remain: Quota
  readonly used: Quota
  /** Reserved by this token's open holds. */
  readonly held: Quota
}

export type TokenStatus = 'enabled' | 'disabled' | 'expired' | 'exhausted'

export interface HoldState {
  readonly token: TokenId | null
  readonly relay: RelayId
  readonly nonce: string
  readonly remaining: Quota
  /** The quota that the hold was opened with: the answer to a repeated request for it. */
  readonly granted: Quota
  readonly accepted: AcceptedSequences
  /** The last extension, to answer its repetition; number 0 before the first. */
  readonly extension: { readonly number: number; readonly amount: Quota }
}

/** Ascending, disjoint, closed ranges, such as `[[1, 7], [9, 9]]`. */
export type AcceptedSequences = ReadonlyArray<readonly [first: number, last: number]>

/** An account before its first event. */
export const unopenedAccount = (): AccountState => ({
  status: 'unopened',
  posted: NO_QUOTA,
  held: NO_QUOTA,
  affiliate: NO_QUOTA,
  usedQuota: NO_QUOTA,
  requestCount: 0,
  tokens: new Map(),
  holds: new Map(),
  ended: new Map(),
  tokenBytes: 0,
})

/** The quota that can still be held or debited. */
export const available = (state: AccountState): Quota => minus(state.posted, state.held)

/** The quota that a token can still have held; null when it has no limit of its own. */
export const tokenAvailable = (token: TokenState): Quota | null =>
  token.terms.unlimited ? null : minus(token.remain, token.held)

/** Whether a hold's message with this number has been accepted before. */
export const hasAccepted = (accepted: AcceptedSequences, sequence: number): boolean =>
  accepted.some(([first, last]) => first <= sequence && sequence <= last)

/** Whether 1..final are all in. */
export const hasAllUpTo = (accepted: AcceptedSequences, final: number): boolean =>
  final === 0 || (accepted[0]?.[0] === 1 && accepted[0][1] >= final)

/** The ranges with one more number, neighbours joined. */
export function accept(accepted: AcceptedSequences, sequence: number): AcceptedSequences {
  const newest = accepted.at(-1)
  if (newest !== undefined && newest[1] + 1 === sequence) {
    return [...accepted.slice(0, -1), [newest[0], sequence]]
  }
  const before = accepted.filter(([, last]) => last < sequence - 1)
  const after = accepted.filter(([first]) => first > sequence + 1)
  const touched = accepted.slice(before.length, accepted.length - after.length)
  const first = Math.min(sequence, touched[0]?.[0] ?? sequence)
  const last = Math.max(sequence, touched.at(-1)?.[1] ?? sequence)
  return [...before, [first, last], ...after]
}
