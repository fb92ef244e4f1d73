import { createHmac } from 'node:crypto'
import type { AuthScheme } from '../channel-types.ts'
import { awsKey, type SignedRequest, sigV4Headers } from './sigv4.ts'

/** A Zhipu token's life; long enough for a request to start, short enough to be of no use to a thief. */
const JWT_LIFE_MS = 10 * 60 * 1_000

/** Anthropic refuses a request that names none; this one takes every member of a request. */
const ANTHROPIC_VERSION = '2023-06-01'

/**
 * The headers that show a channel's key to its upstream; some sign the request with it. `now` is unix milliseconds.
 * Throws a TypeError for a key that is none of the scheme.
 */
export function credentialHeaders(
  scheme: AuthScheme,
  key: string,
  now: number,
  request: SignedRequest,
): Readonly<Record<string, string>> {
  switch (scheme) {
    case 'bearer':
      return { authorization: `Bearer ${key}` }
    case 'api-key':
      return { 'api-key': key }
    case 'x-api-key':
      return { 'x-api-key': key, 'anthropic-version': ANTHROPIC_VERSION }
    case 'x-goog-api-key':
      return { 'x-goog-api-key': key }
    case 'zhipu-jwt':
      return { authorization: zhipuToken(key, now) }
    case 'sigv4': {
      const parts = awsKey(key)
      if (parts === null) throw new TypeError('invalid aws secret key')
      return sigV4Headers(parts, 'bedrock', request, now)
    }
    case 'google':
      // The request has a token, which had to be fetched first (google-tokens.ts).
      return {}
    case 'other-protocol':
      throw new TypeError('this channel type signs in another protocol')
    default:
      return scheme satisfies never
  }
}

/** Zhipu's HS256 token from a key `id.secret` (channels.md 1.2, type 26); a key of another form is sent as it is. */
function zhipuToken(key: string, now: number): string {
  const [id, secret] = key.split('.')
  if (id === undefined || secret === undefined || secret === '') return key
  const header = base64({ alg: 'HS256', sign_type: 'SIGN' })
  const claims = base64({ api_key: id, exp: now + JWT_LIFE_MS, timestamp: now })
  const signature = createHmac('sha256', secret).update(`${header}.${claims}`).digest('base64url')
  return `${header}.${claims}.${signature}`
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
