import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ChannelFacts } from '../directory/facts.ts'
import { isObject, type JsonObject, parseForeign } from '../json.ts'
import { isAllowedAddress } from '../pipeline/allowed-addresses.ts'
import { authenticate, type Caller } from '../pipeline/authenticate.ts'
import type { RelayDeps } from '../pipeline/deps.ts'
import { refusalOf } from '../pipeline/forward.ts'
import { notFound } from '../pipeline/previous-response.ts'
import { protocolAt } from '../protocols/client-protocols.ts'
import { mapped } from '../protocols/read-answer.ts'
import { RESPONSES } from '../protocols/responses/request.ts'
import { withSealedIds } from '../protocols/responses/sealed-ids.ts'
import { responsesUpstream } from '../protocols/responses/upstream.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'
import { sendRefusal } from '../send-refusal.ts'
import { addressOf } from '../upstream/address.ts'
import { callUpstream, isSuccess } from '../upstream/call.ts'
import { credentialHeaders } from '../upstream/credentials.ts'
import { decoded } from '../upstream/decoded.ts'
import { garbageError, unreachableError, upstreamError } from '../upstream/errors.ts'
import { headersDown, headersUp } from '../upstream/passed-headers.ts'
import type { StoredResponse } from './response-ids.ts'

/** An operation on a stored response. */
interface Action {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Behind the id. */
  readonly path: string
}

const ACTIONS: readonly Action[] = [
  { method: 'GET', path: '' },
  { method: 'DELETE', path: '' },
  { method: 'POST', path: '/cancel' },
  { method: 'GET', path: '/input_items' },
]

/**
 * Mounts the operations on responses that a provider keeps, by the ids that were given out here. None of it is charged:
 * a stored response was, and nothing new is written.
 */
export function mountStoredResponses(app: FastifyInstance, deps: RelayDeps): void {
  for (const prefix of ['/v1', '/openai', '/openai/v1']) {
    for (const action of ACTIONS) {
      app.route({
        method: action.method,
        url: `${prefix}/responses/:id${action.path}`,
        handler: (request, reply) => answer(action, request, reply, deps),
      })
    }
  }
}

async function answer(
  action: Action,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RelayDeps,
): Promise<FastifyReply> {
  const caller = await callerOf(request, deps)
  if (isRefusal(caller)) return sendRefusal(request, reply, caller)
  const { params, query } = request
  const id = isObject(params) ? String(params['id']) : ''
  if (isObject(query) && query['stream'] === 'true') return sendRefusal(request, reply, NO_STREAM)
  const stored = deps.responseIds.open(caller.user.id, id)
  const channel = stored && deps.directory.channel(stored.channel)
  if (stored === null || channel === null) return sendRefusal(request, reply, notFound(id, ''))
  if (!channel.isEnabled) return sendRefusal(request, reply, OUT_OF_SERVICE)
  const told = await ask({ action, stored, channel }, request, deps)
  if (isRefusal(told)) {
    return sendRefusal(request, reply, told.status === 404 ? notFound(id, '') : told)
  }
  for (const [name, value] of Object.entries(told.headers)) void reply.header(name, value)
  const body = withSealedIds(told.json, told.answer, {
    seal: (upstreamId) => (upstreamId === stored.id ? id : upstreamId),
    previous: (upstreamId) =>
      deps.responseIds.seal(caller.user.id, {
        channel: channel.id,
        id: upstreamId,
        tokens: inputOf(told.answer) ?? stored.tokens,
      }),
  })
  return reply.code(200).type('application/json').send(body)
}

/** The history of a response is no longer than its input was. */
function inputOf({ usage }: JsonObject): number | null {
  const tokens = isObject(usage) ? usage['input_tokens'] : null
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
}

const NO_STREAM = refusal(
  400,
  'unsupported_value',
  'stored responses are not streamed here; leave stream out',
  { param: 'stream' },
)
const OUT_OF_SERVICE = refusal(
  503,
  'no_available_channel',
  'the channel that keeps this response is out of service; try again later',
  { retryAfterSeconds: 10 },
)
const NOT_ALLOWED = refusal(403, 'ip_not_allowed', '您的 IP 不在令牌允许访问的列表中')

async function callerOf(request: FastifyRequest, deps: RelayDeps): Promise<Caller | Refusal> {
  const { url, headers, query } = request
  const key = protocolAt(url, headers).keyIn(headers, query)
  const caller = await authenticate(key, deps.directory, deps.clock)
  if (isRefusal(caller)) return caller
  const isAllowed = isAllowedAddress(request.ip, caller.token?.terms.allowedIps ?? [])
  return isAllowed ? caller : NOT_ALLOWED
}

interface ToldOfStored {
  readonly answer: JsonObject
  readonly json: Buffer
  readonly headers: Readonly<Record<string, string>>
}

async function ask(
  {
    action: { method, path },
    stored: { id },
    channel,
  }: { readonly action: Action; readonly stored: StoredResponse; readonly channel: ChannelFacts },
  { headers, url }: FastifyRequest,
  { dispatchers, clock, limits, directory }: RelayDeps,
): Promise<ToldOfStored | Refusal> {
  const { type, terms, baseUrl, key } = channel
  const { origin, path: base } = addressOf({
    rule: type.url,
    baseUrl,
    other: terms.other,
    path: RESPONSES.path,
    upstreamModel: '',
  })
  const below = `${base}/${encodeURIComponent(id)}${path}${searchOf(url)}`
  const asked = { method, address: { origin, path: below }, body: Buffer.alloc(0) } as const
  const call = callUpstream({
    ...asked,
    body: null,
    dispatcher: dispatchers.through(channel.proxy),
    headers: {
      ...headersUp(headers, channel.headers.up),
      accept: 'application/json',
      ...credentialHeaders(type.auth, key, clock.now(), asked),
      ...responsesUpstream.headers(channel, { endpoint: RESPONSES, stream: false, headers }),
    },
    firstByteMs: directory.settings.firstByteMs,
    idleMs: limits.idleMs,
  })
  const answered = await call.answer
  if (answered.kind === 'unreachable') return refusalOf(unreachableError(answered))
  if (answered.kind === 'stream') {
    call.abort()
    return refusalOf(garbageError(200, 'upstream sent a stream'))
  }
  const { status } = answered
  const json = await decoded(answered.body, answered.headers)
  if (json === null) return refusalOf(garbageError(status, 'upstream sent an unreadable encoding'))
  if (!isSuccess(status)) return refusalOf(mapped(upstreamError(status, json, key), channel))
  const answer = parseForeign(json.toString('utf8'))
  return isObject(answer)
    ? { answer, json, headers: headersDown(answered.headers, channel) }
    : refusalOf(garbageError(status, 'upstream sent an answer that is not a JSON object'))
}

/** The client's query, of which providers know paging and `include`. */
function searchOf(url: string): string {
  const at = url.indexOf('?')
  if (at === -1) return ''
  const given = new URLSearchParams(url.slice(at + 1))
  const passed = [...given].filter(([name]) => PASSED.has(name))
  return passed.length === 0 ? '' : `?${new URLSearchParams(passed).toString()}`
}

const PASSED: ReadonlySet<string> = new Set([
  'include',
  'include[]',
  'after',
  'before',
  'limit',
  'order',
])
