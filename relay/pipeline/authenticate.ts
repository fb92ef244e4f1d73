import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { TokenLookupUnavailable } from '../directory/token-lookup-unavailable.ts'
import type { RelayDirectory, TokenFacts, UserFacts } from '../directory/facts.ts'
import { type Refusal, refusal } from '../refusal.ts'

/** The user who makes a request, and the group in which it runs. */
export interface Caller {
  readonly user: UserFacts
  /** Null in the playground. */
  readonly token: TokenFacts | null
  /** The token's group, else the user's: routes and prices. */
  readonly group: string
  /** A channel that an admin asked for by `sk-KEY-<channel>`; as written. */
  readonly pinnedChannel: string | null
}

/** The form of keys; others are refused without a look-up. */
const KEY = /^[0-9A-Za-z]{48}$/
/** Role from which a key may name its channel. */
const ADMIN = 10

/**
 * Finds the token of a request by the credential that it shows, and checks that it may be used at all
 * (relay-and-billing.md 1.1, 1.2).
 */
export function authenticate(
  credential: string,
  directory: RelayDirectory,
  clock: Clock,
): Caller | Refusal | Promise<Caller | Refusal> {
  const presented = bareKey(credential)
  if (presented === '') {
    return refusal(
      401,
      'missing_api_key',
      '未提供令牌 (No API key was given: send it as "Authorization: Bearer sk-...")',
    )
  }
  const [key = '', pinned = null] = presented.split('-')
  if (!KEY.test(key)) return UNKNOWN_TOKEN
  const found = directory.findToken(key)
  return found instanceof Promise
    ? found.then((token) => judge(token, key, pinned, clock), unavailable)
    : judge(found, key, pinned, clock)
}

/** Anything else that goes wrong is not for here. */
function unavailable(error: unknown): Refusal {
  if (error instanceof TokenLookupUnavailable) return LOOKUP_UNAVAILABLE
  throw error
}

const LOOKUP_UNAVAILABLE = refusal(
  503,
  'temporarily_unavailable',
  'the API key cannot be checked at the moment; try again shortly',
  { retryAfterSeconds: 2 },
)
const UNKNOWN_TOKEN = refusal(401, 'invalid_api_key', '无效的令牌 (Unknown API key)')

function bareKey(credential: string): string {
  const bare = /^bearer /i.test(credential) ? credential.slice('Bearer '.length) : credential
  const key = bare.trim()
  return key.startsWith('sk-') ? key.slice('sk-'.length) : key
}

function judge(
  token: TokenFacts | null,
  key: string,
  pinnedChannel: string | null,
  clock: Clock,
): Caller | Refusal {
  if (token === null) return UNKNOWN_TOKEN
  const { status, terms, user } = token
  if (status === 'exhausted') {
    const text = `该令牌额度已用尽 TokenStatusExhausted[${maskedKey(key)}]`
    return refusal(401, 'token_exhausted', text)
  }
  if (status === 'expired') return EXPIRED
  if (status !== 'enabled') return refusal(401, 'token_disabled', '该令牌状态不可用')
  if (terms.expiresAt !== null && terms.expiresAt < clock.now()) return EXPIRED
  if (!user.isActive) return refusal(403, 'user_banned', '用户已被封禁')
  if (pinnedChannel !== null && user.role < ADMIN) {
    return refusal(403, 'channel_not_allowed', '普通用户不支持指定渠道')
  }
  const group = terms.group === '' ? user.group : terms.group
  return { user, token, group, pinnedChannel }
}

const EXPIRED = refusal(401, 'token_expired', '该令牌已过期')

const maskedKey = (key: string): string => `sk-${key.slice(0, 3)}***${key.slice(-3)}`
