/** A key cannot be judged at the moment: too many are being looked up, or what is known of this one is behind. */
export class TokenLookupUnavailable extends Error {
  readonly code = 'TOKEN_LOOKUP_UNAVAILABLE'
  readonly retryable = true
  constructor(message: string) {
    super(message)
    this.name = 'TokenLookupUnavailable'
  }
}
