import type { TokenId, UserId } from '@tollgate/domain/ids.ts'

/** What has been spent and what is left, in quota. */
export interface QuotaFigures {
  readonly remaining: number
  readonly used: number
}

/** Figures of tokens and users, which the directory does not keep. */
export interface BillingSource {
  /** Null while a token that was just made is not there yet. */
  tokenFigures(token: TokenId): Promise<QuotaFigures | null>
  userFigures(user: UserId): Promise<QuotaFigures>
}
