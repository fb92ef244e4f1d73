import type { TokenId, UserId } from '@tollgate/domain/ids.ts'

/** The quota that has been spent and that is left. */
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
