import type { HoldId, RelayId, TokenId } from '../ids.ts'
import type { Quota } from '../quota.ts'
import type { TokenTerms } from './token-terms.ts'

/**
 * One account as its events leave it. Immutable: evolve returns a new value and shares what did not change.
 * posted = wallet + held; available = posted − held.
 */
export interface AccountState {
  readonly status: AccountStatus
  /** Credits minus charges. May fall below zero by late charges and overruns only. */
  readonly posted: Quota
  /** Reserved by open holds. */
  readonly held: Quota
  readonly affiliate: Quota
  readonly usedQuota: Quota
  readonly requestCount: number
  readonly tokens: ReadonlyMap<TokenId, TokenState>
  readonly holds: ReadonlyMap<HoldId, HoldState>
}

export type AccountStatus = 'unopened' | 'active' | 'suspended'

export interface TokenState {
  readonly status: 'enabled' | 'disabled' | 'expired' | 'exhausted'
  readonly terms: TokenTerms
  /** What the token may still spend, held or not; means nothing while unlimited. */
  readonly remain: Quota
  readonly used: Quota
  /** Reserved by this token's open holds. */
  readonly held: Quota
}

export interface HoldState {
  readonly token: TokenId | null
  readonly relay: RelayId
  readonly nonce: string
  readonly remaining: Quota
  /** What the hold was granted with, before extensions: the answer to a repeated request. */
  readonly granted: Quota
  /** Accepted sequences as ascending, disjoint, closed ranges: `[[1, 7], [9, 9]]`. */
  readonly accepted: readonly SequenceRange[]
  /** The last extension, to answer its repetition; number 0 before the first. */
  readonly extension: { readonly number: number; readonly amount: Quota }
  /** Sequence of the last message of this hold; null until the relay has named it. */
  readonly finalSequence: number | null
}

export type SequenceRange = readonly [first: number, last: number]

/** AccountState as plain JSON, for BalanceCarriedForward; maps are entry lists. */
export interface AccountSnapshot extends Omit<AccountState, 'tokens' | 'holds'> {
  readonly tokens: ReadonlyArray<readonly [TokenId, TokenState]>
  readonly holds: ReadonlyArray<readonly [HoldId, HoldState]>
}
