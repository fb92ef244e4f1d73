/**
 * A key cannot be judged at the moment: too many are being looked up, the facts about this one are behind, or their
 * source is unavailable.
 */
export class TokenLookupUnavailable extends Error {
  readonly code = 'TOKEN_LOOKUP_UNAVAILABLE'
  readonly retryable = true
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'TokenLookupUnavailable'
  }
}
