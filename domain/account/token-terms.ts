/** What the owner may set on a token. Names, keys and lists of models that do not limit are not here: they live in `secrets.tokens`. */
export interface TokenTerms {
  /** No limit of its own; `remain` is then kept but neither checked nor lowered. */
  readonly unlimited: boolean
  /** Unix milliseconds; null = never. */
  readonly expiresAt: number | null
  /** Group to route and price by; '' = the user's. */
  readonly group: string
  /** Models allowed; null = all. */
  readonly models: readonly string[] | null
  /** Addresses and CIDR ranges allowed; empty = all. */
  readonly allowedIps: readonly string[]
}
