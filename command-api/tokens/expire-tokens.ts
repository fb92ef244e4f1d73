import { tokenId, userId } from '@tollgate/domain/ids.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'

export interface TokenExpiryDeps {
  readonly ledger: Pick<AccountLedger, 'execute'>
  /** Enabled tokens whose time is up, by the read model; a bounded number of them. */
  readonly dueTokens: () => Promise<
    readonly { readonly userId: number; readonly tokenId: number }[]
  >
}

/**
 * Marks tokens whose time is up as expired, by events (decision 8). The relay refuses them from the moment itself; this
 * is how the console, the log and later readers learn of it. Answers how many were marked.
 */
export async function expireTokens({ ledger, dueTokens }: TokenExpiryDeps): Promise<number> {
  const due = await dueTokens()
  const outcomes = await Promise.all(
    due.map((token) =>
      ledger.execute(
        userId(token.userId),
        { type: 'ExpireToken', token: tokenId(token.tokenId) },
        { actor: 'system', correlationId: 'token-expiry', causationId: null },
      ),
    ),
  )
  return outcomes.filter(({ status }) => status === 'done').length
}
