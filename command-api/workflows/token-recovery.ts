import { tokenId, userId } from '@tollgate/domain/ids.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import type { RowRecovery } from './manager/workflow.ts'
import { orphanRecovery } from './orphan-recovery.ts'
import type { TokenSecrets } from '../secrets/token-secrets.ts'

export interface TokenRecoveryDeps {
  readonly tokens: Pick<TokenSecrets, 'ownerOf' | 'unsettled' | 'settle' | 'erase'>
  readonly ledger: Pick<AccountLedger, 'inspect'>
}

/** Removes keys that no account knows a token of. */
export const tokenRecovery = (
  { tokens, ledger }: TokenRecoveryDeps,
  ageSeconds?: number,
): RowRecovery =>
  orphanRecovery({
    kind: 'token-row',
    table: 'secrets.tokens',
    rows: tokens,
    isLive: async (id) => {
      const owner = await tokens.ownerOf(id)
      if (owner === null) return false
      return ledger.inspect(userId(owner), (account) => account.tokens.has(tokenId(id)))
    },
    ageSeconds,
  })
