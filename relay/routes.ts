import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { requestId } from '@tollgate/domain/ids.ts'
import { CROSS_ORIGIN_HEADERS, PREFLIGHT_HEADERS } from './cross-origin.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { showSubscription, showUsage } from './billing/routes.ts'
import { isObject } from './json.ts'
import { listModels, showModel } from './models/routes.ts'
import { authenticate, type Caller } from './pipeline/authenticate.ts'
import { Attempts } from './pipeline/attempts.ts'
import { ClientAnswer } from './pipeline/client-answer.ts'
import { clientTrace } from './pipeline/client-trace.ts'
import type { RelayDeps } from './pipeline/deps.ts'
import type { Exchange } from './pipeline/exchange.ts'
import { refuse } from './pipeline/finish.ts'
import { sendRefusal } from './send-refusal.ts'
import { serve } from './pipeline/index.ts'
import { receive } from './pipeline/receive.ts'
import { authenticateSession, playgroundCaller, type SessionUser } from './pipeline/playground.ts'
import { isRefusal, type Refusal, refusal } from './refusal.ts'
import { STOPPED } from './pipeline/stopped.ts'
import { mountStoredResponses } from './stored-responses/routes.ts'
import { COUNT_TOKENS, MESSAGES } from './protocols/claude/request.ts'
import { clientProtocol, protocolAt } from './protocols/client-protocols.ts'
import { endpointAt, isGeminiAddress, VERSIONS } from './protocols/gemini/addresses.ts'
import type { Endpoint } from './protocols/model-request.ts'
import { unknownAddressBody } from './protocols/openai/errors.ts'
import { COMPACT, INPUT_TOKENS, RESPONSES } from './protocols/responses/request.ts'
import { CHAT, COMPLETIONS, EMBEDDINGS, INFILL, PLAYGROUND } from './protocols/openai/request.ts'

/** Headers of every answer; upstream's own request id, where it gives one, stands in place of the protocol's. */
const headersOf = ({ id, url, headers }: FastifyRequest): Readonly<Record<string, string>> => ({
  ...CROSS_ORIGIN_HEADERS,
  'x-oneapi-request-id': id,
  [protocolAt(url, headers).idHeader]: id,
  'x-content-type-options': 'nosniff',
})

/** Addresses of the protocol that are not served; said before anything else is looked at (decision 24). */
const NOT_IMPLEMENTED: ReadonlyArray<readonly [methods: readonly Method[], path: string]> = [
  [['GET', 'POST'], '/v1/messages/batches'],
  [['GET', 'POST', 'DELETE'], '/v1/messages/batches/*'],
  [['POST'], '/v1/images/edits'],
  [['POST'], '/v1/images/variations'],
  [['DELETE'], '/v1/models/:model'],
  [['GET'], '/v1/chat/completions'],
  [['GET', 'POST', 'DELETE'], '/v1/chat/completions/*'],
  ...[
    'edits',
    'files',
    'batches',
    'uploads',
    'vector_stores',
    'assistants',
    'threads',
    'conversations',
    'fine_tuning',
    'fine-tunes',
  ].flatMap((folder) => [
    [['GET', 'POST', 'DELETE'], `/v1/${folder}`] as const,
    [['GET', 'POST', 'DELETE'], `/v1/${folder}/*`] as const,
  ]),
]
type Method = 'GET' | 'POST' | 'DELETE'

const NOT_BUILT = refusal(501, 'api_not_implemented', 'API not implemented')

const notBuilt = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
  sendRefusal(request, reply, NOT_BUILT)

/**
 * Mounts the relay: chat completions, completions, embeddings, Anthropic's messages, Google's methods of models, models, a key's billing figures, the playground, and
 * OpenAI-shaped answers for everything else under `/v1`. Request ids are Fastify's: the server that composes makes them unique (`genReqId`).
 */
export function registerRelayRoutes(app: FastifyInstance, deps: RelayDeps): void {
  void app.register(async (relay) => {
    relay.removeAllContentTypeParsers()
    // Bodies are taken in by the pipeline (receive.ts), within its limits; those of other routes are not read.
    relay.addContentTypeParser('*', (_request, _payload, done) => done(null))
    relay.setErrorHandler((error, request, reply) => failed(error, request, reply, deps))
    relay.addHook('onRequest', async (request, reply) => {
      reply.headers(headersOf(request))
      if (deps.stopping.refuses) return sendRefusal(request, reply, STOPPED)
      return undefined
    })
    for (const [methods, url] of NOT_IMPLEMENTED) {
      relay.route({
        method: [...methods],
        url,
        // Before a body is taken in: it may be larger than any that is read here.
        onRequest: notBuilt,
        handler: notBuilt,
      })
    }
    mount(relay, '/v1/chat/completions', CHAT, deps)
    mount(relay, '/v1/completions', COMPLETIONS, deps)
    mount(relay, '/v1/fim/completions', INFILL, deps)
    mount(relay, '/v1/messages', MESSAGES, deps)
    mount(relay, '/v1/messages/count_tokens', COUNT_TOKENS, deps)
    mount(relay, '/v1/embeddings', EMBEDDINGS, deps)
    // The latter two as Azure's SDKs ask for it.
    for (const prefix of ['/v1', '/openai', '/openai/v1']) {
      mount(relay, `${prefix}/responses`, RESPONSES, deps)
      mount(relay, `${prefix}/responses/input_tokens`, INPUT_TOKENS, deps)
      mount(relay, `${prefix}/responses/compact`, COMPACT, deps)
    }
    mountStoredResponses(relay, deps)
    // As openai-python before 1.0 and Azure's SDKs ask: the model is in the address.
    mount(relay, '/v1/engines/:model/chat/completions', CHAT, deps)
    mount(relay, '/v1/engines/:model/completions', COMPLETIONS, deps)
    mount(relay, '/v1/engines/:model/embeddings', EMBEDDINGS, deps)
    mount(relay, '/openai/deployments/:model/chat/completions', CHAT, deps)
    mount(relay, '/openai/deployments/:model/embeddings', EMBEDDINGS, deps)
    mount(relay, '/pg/chat/completions', PLAYGROUND, deps)
    for (const version of VERSIONS) {
      mount(relay, `/${version}/models/*`, (request) => geminiEndpoint(version, request), deps)
      if (version === 'v1') continue
      relay.get(`/${version}/models`, (request, reply) => listModels(request, reply, deps))
      relay.get(`/${version}/models/*`, (request, reply) => showModel(request, reply, deps))
    }
    relay.get('/v1/models', (request, reply) => listModels(request, reply, deps))
    relay.get('/v1/models/*', (request, reply) => showModel(request, reply, deps))
    for (const prefix of ['/dashboard', '/v1/dashboard']) {
      const billing = `${prefix}/billing`
      relay.get(`${billing}/subscription`, (request, reply) =>
        showSubscription(request, reply, deps),
      )
      relay.get(`${billing}/usage`, (request, reply) => showUsage(request, reply, deps))
    }
    for (const prefix of [
      '/v1',
      '/v1beta',
      '/v1alpha',
      '/openai',
      '/pg',
      '/mj',
      '/suno',
      '/dashboard',
    ]) {
      relay.options(`${prefix}/*`, (_request, reply) =>
        reply.code(204).headers(PREFLIGHT_HEADERS).send(),
      )
      relay.route({
        method: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'],
        url: `${prefix}/*`,
        handler: (request, reply) => unknownAddress(request, reply),
      })
    }
  })
}

/** The endpoint that an address asks for, or the part of it that decides. */
type EndpointOf = (request: FastifyRequest) => Endpoint | Refusal

function mount(
  app: FastifyInstance,
  url: string,
  at: Endpoint | EndpointOf,
  deps: RelayDeps,
): void {
  const identities = new WeakMap<FastifyRequest, Identity & { readonly endpoint: Endpoint }>()
  const endpointOf: EndpointOf =
    typeof at === 'function' ? at : ({ params }) => withPathModel(at, params)
  app.route({
    method: 'POST',
    url,
    // No body is taken in, let alone decompressed, before its sender is known.
    onRequest: async (request, reply) => {
      const endpoint = endpointOf(request)
      if (isRefusal(endpoint)) return sendRefusal(request, reply, endpoint)
      const identity = await identify(request, endpoint, deps)
      if ('refused' in identity) return sendRefusal(request, reply, identity)
      identities.set(request, { ...identity, endpoint })
      return undefined
    },
    handler: (request, reply) => {
      const identity = identities.get(request)
      if (identity === undefined) throw new TypeError('a relayed request was not authenticated')
      return relayed(request, reply, { endpoint: identity.endpoint, identity }, deps)
    },
  })
}

/** Google's addresses name model and method in one segment. */
function geminiEndpoint(
  version: string,
  { params, query, url }: FastifyRequest,
): Endpoint | Refusal {
  const named = isObject(params) ? String(params['*']) : ''
  const endpoint = endpointAt(version, named, query)
  if (endpoint !== null) return endpoint
  const path = url.split('?', 1)[0]?.slice(0, ADDRESS_MAX)
  return refusal(404, 'unknown_address', `Invalid URL (POST ${path}): no such method of a model`)
}

/** The limit of an address that is repeated to its client. */
const ADDRESS_MAX = 300

function withPathModel(endpoint: Endpoint, params: unknown): Endpoint {
  const pathModel = isObject(params) ? params['model'] : undefined
  return typeof pathModel === 'string' ? { ...endpoint, pathModel } : endpoint
}

/** The sender of a request, by its headers alone: a token's caller, or the user of a session. */
type Identity = Caller | SessionUser

const identify = (
  request: FastifyRequest,
  endpoint: Endpoint,
  deps: RelayDeps,
): Identity | Refusal | Promise<Identity | Refusal> =>
  endpoint.isPlayground
    ? authenticateSession(request, deps)
    : authenticate(credentialOf(request, endpoint), deps.directory, deps.clock)

const credentialOf = ({ headers, query }: FastifyRequest, { protocol }: Endpoint): string =>
  clientProtocol(protocol).keyIn(headers, query)

/** From here on the answer is written by the pipeline itself, byte by byte, past Fastify's serialisation. */
async function relayed(
  request: FastifyRequest,
  reply: FastifyReply,
  { endpoint, identity }: { readonly endpoint: Endpoint; readonly identity: Identity },
  deps: RelayDeps,
): Promise<void> {
  const { clock, limits } = deps
  reply.hijack()
  const answer = new ClientAnswer(reply.raw, headersOf(request), limits.clientStallMs)
  const exchange: Exchange = {
    id: requestId(request.id),
    endpoint,
    headers: request.headers,
    trace: clientTrace(request.headers),
    apiVersion: apiVersionOf(request.query),
    ip: request.ip,
    answer,
    startedAt: clock.now(),
    startedMs: clock.monotonicMs(),
    model: '',
    stream: false,
    attempts: new Attempts(),
    admittedAt: null,
    channelType: null,
    firstByteMs: null,
  }
  const presented = presentedCaller(identity)
  const upload = deps.uploads.begin(request.raw, reply.raw, {
    account: presented.user.id,
    ip: request.ip,
  })
  let caller: Caller | Refusal = presented
  answer.whenGone(() => upload.abort())
  deps.stopping.entered(answer)
  try {
    const received = await receive(exchange, presented, upload, deps)
    answer.whenGone(null)
    // The client is gone, and nothing went wrong here.
    if (answer.isGone) return
    // An upload may take long: the token's changes meanwhile count. It is in memory by now.
    caller =
      'session' in identity
        ? playgroundCaller(identity, received, deps)
        : await authenticate(credentialOf(request, endpoint), deps.directory, deps.clock)
    await serve(exchange, caller, received, deps)
  } catch (error) {
    const facts = { err: error, requestId: request.id, ...exchange.trace }
    deps.log.error(facts, 'a relayed request failed unexpectedly')
    refuse(exchange, isRefusal(caller) ? null : caller, whatBroke(error), deps)
  } finally {
    upload.end()
    deps.stopping.left(answer)
  }
}

const API_VERSION = /^[\w.-]{1,40}$/

function apiVersionOf(query: unknown): string {
  const version = isObject(query) ? query['api-version'] : ''
  return typeof version === 'string' && API_VERSION.test(version) ? version : ''
}

/** The caller as known from the headers; the playground's body may name another group. */
const presentedCaller = (identity: Identity): Caller =>
  'session' in identity
    ? {
        user: identity.session,
        token: null,
        group: identity.session.group,
        pinnedChannel: null,
      }
    : identity

const UNAVAILABLE = refusal(
  503,
  'temporarily_unavailable',
  'something this needs is away; try again',
  {
    retryAfterSeconds: 2,
  },
)
const BROKEN = refusal(500, 'internal_error', 'something went wrong here; try again')

/** Errors of Fastify itself in the protocol's shape. */
function failed(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RelayDeps,
): FastifyReply {
  if (isOfContentType(error)) return sendRefusal(request, reply, WRONG_CONTENT_TYPE)
  const facts = { err: error, requestId: request.id, ...clientTrace(request.headers) }
  deps.log.error(facts, 'a relay route failed')
  return sendRefusal(request, reply, whatBroke(error))
}

const isOfContentType = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'

const WRONG_CONTENT_TYPE = refusal(
  400,
  'invalid_content_type',
  'the header content-type cannot be read; send application/json',
)

/** A transient error is a fault of others and passes; anything else is a bug of ours. */
const whatBroke = (error: unknown): Refusal => (isTransient(error) ? UNAVAILABLE : BROKEN)

function unknownAddress(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = request.url] = request.url.split('?')
  if (isGeminiAddress(path)) {
    const text = `Invalid URL (${request.method} ${path.slice(0, ADDRESS_MAX)})`
    return sendRefusal(request, reply, refusal(404, 'unknown_address', text))
  }
  const body = unknownAddressBody(request.method, path)
  return reply.code(404).type('application/json').send(body)
}
