/** A failed attempt at a channel, as far as it tells whether the channel's key or account is of any use. */
export interface ChannelFailure {
  readonly channelType: number
  /** Upstream's HTTP status, before any status code mapping; null when there was no answer. */
  readonly status: number | null
  /** The code of upstream's error object; '' when it has none. */
  readonly code: string
  readonly type: string
  readonly message: string
}

/**
 * True when upstream says that the key or the account will not serve any request: bad key, no money, no permission
 * (relay-and-billing 3.3). `keywords` are AutomaticDisableKeywords; their case does not matter. Failures of this side
 * (a request refused before it was sent) must not be asked about.
 */
export function isBanWorthy(failure: ChannelFailure, keywords: readonly string[]): boolean {
  if (failure.status === 401) return true
  // Google answers a bad key with 403 where others answer 401.
  if (failure.status === 403 && failure.channelType === GEMINI) return true
  if (BANNED_CODES.includes(failure.code) || BANNED_TYPES.includes(failure.type)) return true
  const message = failure.message.toLowerCase()
  return keywords.some((keyword) => keyword !== '' && message.includes(keyword.toLowerCase()))
}

const GEMINI = 24
const BANNED_CODES: readonly string[] = [
  'invalid_api_key',
  'account_deactivated',
  'billing_not_active',
]
const BANNED_TYPES: readonly string[] = [
  'insufficient_quota',
  'insufficient_user_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
]
