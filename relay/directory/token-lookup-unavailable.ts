/**
 * A key cannot be judged at the moment: too many are being looked up, what is known of this one is behind, or whoever
 * knows it is away.
 */
export class TokenLookupUnavailable extends Error {
  readonly code = 'TOKEN_LOOKUP_UNAVAILABLE'
  readonly retryable = true
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'TokenLookupUnavailable'
  }
}
