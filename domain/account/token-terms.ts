/**
 * The terms that the owner may set on a token. Names, keys and lists of models that do not limit are not here: they
 * live in `secrets.tokens`.
 */
export interface TokenTerms {
  /** No limit of its own; `remain` is then kept but neither checked nor lowered. */
  readonly unlimited: boolean
  /** Unix milliseconds; null = never. */
  readonly expiresAt: number | null
  /** Group to route and price by; '' = the user's. */
  readonly group: string
  /** Models allowed; null = all. */
  readonly models: readonly string[] | null
  /**
   * Empty = any address is allowed. Else the name of one rule, whose addresses and CIDR ranges lie in
   * `identity.token_addresses`; addresses themselves where the token's event is of version 1.
   */
  readonly allowedIps: readonly string[]
}

/** No address and no range begins like this, so that a rule whose addresses are gone allows no client. */
const RULE = 'rule:'

/** The entry of `allowedIps` for the rule of this id (a UUID). */
export const addressRule = (id: string): string => `${RULE}${id}`

/** The id of the rule that an entry of `allowedIps` names; null when it is an address. */
export const ruleIdOf = (entry: string): string | null =>
  entry.startsWith(RULE) ? entry.slice(RULE.length) : null
