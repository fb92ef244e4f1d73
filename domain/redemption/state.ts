import type { UserId } from '../ids.ts'
import type { Quota } from '../quota.ts'

/** A redemption code as its events leave it. Times are unix milliseconds. */
export type RedemptionState = NoCode | LiveCode

export interface NoCode {
  /** Never issued, or deleted for good. */
  readonly status: 'unknown' | 'deleted'
}

export interface LiveCode {
  readonly status: CodeStatus
  readonly quota: Quota
  readonly creator: UserId
  readonly issuedAt: number
  /** The user who redeemed it, and the time; null until then. */
  readonly use: { readonly user: UserId; readonly at: number } | null
}

export type CodeStatus = 'unused' | 'disabled' | 'used'

export const NO_CODE: NoCode = { status: 'unknown' }

export const isLiveCode = (state: RedemptionState): state is LiveCode =>
  state.status !== 'unknown' && state.status !== 'deleted'
