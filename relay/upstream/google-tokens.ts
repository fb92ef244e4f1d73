import { createHash, sign } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { isObject, parseForeign } from '../json.ts'
import { callUpstream } from './call.ts'
import { decoded } from './decoded.ts'
import type { Dispatchers } from './dispatchers.ts'
import { type UpstreamError, unreachableError, unusableError, upstreamError } from './errors.ts'
import { type ServiceAccount, serviceAccountOf } from './service-account.ts'

/** The dependencies of asking for a token. */
export interface TokenDeps {
  readonly dispatchers: Dispatchers
  readonly clock: Pick<Clock, 'now'>
  readonly limits: { readonly firstByteMs: number; readonly idleMs: number }
}

/** The owner of a token: a channel's key, and the proxy that its requests take. */
export interface TokenOwner {
  readonly key: string
  readonly proxy: string
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** Google's longest life of a token, in seconds. */
const LIFE_SECONDS = 3_600
/** How long before its end a token is renewed, beside the requests that still use it. */
const RENEWED_MS = 5 * 60 * 1_000
/** A token that ends sooner is not shown any more: requests take their time to arrive. */
const SHOWN_MS = 30 * 1_000
/** Between two failed attempts to renew a token that is still good. */
const BACK_OFF_MS = 10 * 1_000
/** A token younger than this is not the reason that a request is refused. */
const FRESH_MS = 60 * 1_000
/** Token servers answer within a second. */
const PATIENCE_MS = 15_000
/** Keys in use at a time; more than any installation has. */
const KEYS_MAX = 1_000
/** It becomes a header. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/

interface Entry {
  /** '' before the first came. */
  token: string
  /** Unix milliseconds. */
  since: number
  until: number
  nextTry: number
  /** The one request for a token that is on its way. */
  pending: Promise<string | UpstreamError> | null
}

/** By the hash of the key: channels that share a key share its tokens. */
const ENTRIES = new LRUCache<string, Entry>({ max: KEYS_MAX })

/**
 * A token of a channel's service account: the one in use, or one that is fetched first. Renewed before its end, one
 * request at a time however many need it. An UpstreamError where the key is none, or Google gives no token.
 */
export function googleToken(
  owner: TokenOwner,
  deps: TokenDeps,
): string | UpstreamError | Promise<string | UpstreamError> {
  const entry = entryOf(owner.key)
  const now = deps.clock.now()
  const isGood = entry.token !== '' && entry.until - SHOWN_MS > now
  if (!isGood) return entry.pending ?? renew(entry, owner, deps)
  const isDue = entry.until - RENEWED_MS <= now && entry.nextTry <= now
  // Its failure is no request's: the token in use is good still.
  if (isDue && entry.pending === null) void renew(entry, owner, deps)
  return entry.token
}

/** Lets go of a token that was refused; false for one so fresh that another would not do better. `now` is unix milliseconds. */
export function dropGoogleToken({ key }: TokenOwner, token: string, now: number): boolean {
  const entry = entryOf(key)
  if (entry.token !== token) return true
  if (now - entry.since < FRESH_MS) return false
  entry.token = ''
  return true
}

function entryOf(key: string): Entry {
  const name = createHash('sha256').update(key).digest('base64')
  const known = ENTRIES.get(name)
  if (known !== undefined) return known
  const entry: Entry = { token: '', since: 0, until: 0, nextTry: 0, pending: null }
  ENTRIES.set(name, entry)
  return entry
}

function renew(entry: Entry, owner: TokenOwner, deps: TokenDeps): Promise<string | UpstreamError> {
  const pending = fetchToken(owner, deps).then((fetched) => {
    entry.pending = null
    const now = deps.clock.now()
    entry.nextTry = now + BACK_OFF_MS
    if ('status' in fetched) return fetched
    entry.token = fetched.token
    entry.since = now
    entry.until = now + fetched.lifeSeconds * 1_000
    return fetched.token
  })
  entry.pending = pending
  return pending
}

interface Fetched {
  readonly token: string
  readonly lifeSeconds: number
}

const NO_KEY = unusableError(
  503,
  'invalid_channel',
  'invalid service account: the key of this channel type is the JSON of a Google service account key',
)

/** Never rejects. */
async function fetchToken(
  { key, proxy }: TokenOwner,
  { dispatchers, clock, limits }: TokenDeps,
): Promise<Fetched | UpstreamError> {
  const account = serviceAccountOf(key)
  const assertion = account && assertionOf(account, Math.floor(clock.now() / 1_000))
  const address = account && addressIn(account.tokenUri)
  if (assertion === null || address === null) return NO_KEY
  const form = new URLSearchParams({ grant_type: GRANT, assertion })
  let dispatcher
  try {
    dispatcher = dispatchers.through(proxy)
  } catch (error) {
    return unusableError(503, 'invalid_channel', error instanceof Error ? error.message : 'proxy')
  }
  const call = callUpstream({
    dispatcher,
    address,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: Buffer.from(form.toString()),
    firstByteMs: Math.min(limits.firstByteMs, PATIENCE_MS),
    idleMs: Math.min(limits.idleMs, PATIENCE_MS),
  })
  const answer = await call.answer
  if (answer.kind === 'unreachable') return unreachableError(answer)
  if (answer.kind === 'stream') {
    call.abort()
    return UNREADABLE
  }
  const body = await decoded(answer.body, answer.headers)
  if (body === null) return UNREADABLE
  if (answer.status !== 200) return refused(answer.status, body, key)
  const read = parseForeign(body.toString('utf8'))
  const { access_token: token, expires_in: seconds } = isObject(read) ? read : {}
  if (typeof token !== 'string' || !TOKEN.test(token)) return UNREADABLE
  const lifeSeconds = typeof seconds === 'number' && seconds > 0 ? seconds : LIFE_SECONDS
  return { token, lifeSeconds: Math.min(lifeSeconds, LIFE_SECONDS) }
}

const UNREADABLE = unusableError(
  502,
  'bad_response_body',
  "the token server of the channel's service account sent no token; try again",
)

/** A key that Google refuses is the channel's fault, whatever status Google answers with. */
function refused(status: number, body: Buffer, key: string): UpstreamError {
  const error = upstreamError(status, body, key)
  if (status >= 500 || status === 429) return error
  const said = parseForeign(body.toString('utf8'))
  const why = isObject(said) && typeof said['error'] === 'string' ? said['error'] : ''
  const reason = /^[a-z_]{1,40}$/.test(why) ? ` (${why})` : ''
  return {
    ...error,
    status: 401,
    type: 'authentication_error',
    code: 'invalid_api_key',
    message: `Google gave no token for the channel's service account${reason}`,
    members: {},
  }
}

/** The signed request for a token (developers.google.com/identity/protocols/oauth2/service-account); null for a key that signs nothing. */
function assertionOf(
  { clientEmail, privateKey, tokenUri }: ServiceAccount,
  now: number,
): string | null {
  const claims = {
    iss: clientEmail,
    scope: SCOPE,
    aud: tokenUri,
    iat: now,
    exp: now + LIFE_SECONDS,
  }
  const signed = `${base64({ alg: 'RS256', typ: 'JWT' })}.${base64(claims)}`
  try {
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
  } catch {
    // The error may quote the key.
    return null
  }
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function addressIn(uri: string): { readonly origin: string; readonly path: string } | null {
  if (!URL.canParse(uri)) return null
  const { origin, pathname, search } = new URL(uri)
  return { origin, path: pathname + search }
}
