import { addressRule } from '@tollgate/domain/account/token-terms.ts'
import { userId } from '@tollgate/domain/ids.ts'
import type { AddressRule, TokenAddresses } from '../identity/token-addresses.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import type { RowRecovery } from './manager/workflow.ts'
import { ORPHAN_AGE_SECONDS } from './orphan-recovery.ts'

const TABLE = 'identity.token_addresses'
/** Rules taken on by one search; the next finds the rest. */
const RULES_AT_ONCE_MAX = 1_000

export interface TokenAddressRecoveryDeps {
  readonly addresses: Pick<TokenAddresses, 'unchecked' | 'checked' | 'remove'>
  readonly ledger: Pick<AccountLedger, 'inspect'>
}

/**
 * Removes addresses that no token is bound to: the event never came, or the token was changed or deleted since. Every rule
 * is looked for once in two days.
 */
export const tokenAddressRecovery = (
  { addresses, ledger }: TokenAddressRecoveryDeps,
  ageSeconds = ORPHAN_AGE_SECONDS,
): RowRecovery => ({
  from: 'row',
  kind: 'address-rule',
  async find() {
    const rules = await addresses.unchecked(ageSeconds, RULES_AT_ONCE_MAX)
    return rules.map(nameOf)
  },
  steps: (name) => [
    {
      name: 'forget addresses that bind no token',
      async act() {
        const { id, userId: owner } = ruleOf(name)
        const rule = addressRule(id)
        const isNamed = await ledger.inspect(userId(owner), ({ tokens }) =>
          [...tokens.values()].some(({ terms }) => terms.allowedIps.includes(rule)),
        )
        await (isNamed ? addresses.checked(id) : addresses.remove([rule]))
      },
    },
  ],
})

const nameOf = ({ id, userId: owner }: AddressRule): string => `${TABLE}/${owner}/${id}`

function ruleOf(name: string): AddressRule {
  const [owner = '', id = ''] = name.slice(TABLE.length + 1).split('/')
  return { id, userId: Number(owner) }
}
