import { DEMO_SITE_REFUSAL } from '@tollgate/command-api/http/demo-site.ts'
import type { Authenticate, Authentication } from '@tollgate/command-api/identity/authenticate.ts'
import type { RateLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import type { PostedRequests } from '@tollgate/command-api/idempotency/posted-requests.ts'
import type { Position } from '@tollgate/domain/event.ts'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  type Caller,
  type Schema,
  takesIdempotencyKey,
  UNNAMED_COMMAND,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { StreamUnusable } from '@tollgate/domain/ports/event-store.ts'
import { codedSuccess } from '@tollgate/command-api/http-contract/success-code.ts'
import { preferredLanguage } from '@tollgate/command-api/http-contract/language.ts'
import { foreignText } from '@tollgate/domain/text.ts'
import { isTransient, mayHaveBeenDone } from '@tollgate/domain/kernel/transient.ts'
import {
  RETRY_AFTER_SECONDS as UPLOAD_RETRY_AFTER_SECONDS,
  type Uploads,
} from '@tollgate/relay/uploads/uploads.ts'
import { lacksTables } from '@tollgate/projections/runner/copies.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientKey } from '../rate-limits/client-key.ts'
import { TOO_MANY } from './global-limits.ts'
import { answerPreflight, toAnySite } from './any-site.ts'
import { fileSender } from './csv.ts'
import { failureEnvelope } from './failure-envelope.ts'
import { handleOnce } from './handle-once.ts'
import { isNavigation } from './is-navigation.ts'
import { type BodyProblem, leaveBodiesUnread, receiveJson, UNREADABLE_BODY } from './json-body.ts'
import { ownOrigin } from './own-origin.ts'
import { sentFrom } from './sent-from.ts'
import {
  KNOWN_BROWSER_COOKIE,
  SESSION_COOKIE,
  setKnownBrowserCookie,
  setSessionCookie,
  setVisitorCookie,
  VISITOR_COOKIE,
} from './cookies.ts'
import { refuseAddress } from './unknown-address.ts'

export interface ApiOptions {
  readonly routes: readonly ApiRoute[]
  readonly authenticate: Authenticate
  /** Notes a caller's write, so that their next reads wait for it. */
  readonly rememberWrite: (caller: Caller, position: Position) => Promise<void>
  /** Resolves when the read models have seen a position, or after a bounded wait. */
  readonly waitForReadModels: (names: readonly string[], position: Position) => Promise<void>
  /** Whether tables of another version of Tollgate are read until those of this one are built. */
  readonly isReadModelOutdated: () => boolean
  /** Takes in bodies within the process's budget. */
  readonly uploads: Pick<Uploads, 'begin'>
  /** For the routes that a guesser would call often (console-api 1.6, limit CT). */
  readonly criticalLimit: RateLimiter
  /** Knows requests that come again with their key. */
  readonly postedRequests: Pick<PostedRequests, 'begin'>
  /** Option DemoSiteEnabled: nothing may be changed but who is signed in. */
  readonly isDemoSite: () => boolean
  /** Option ServerAddress; '' = not set. */
  readonly serverAddress: () => string
}

const TEXTS = {
  invalidBody: '无效的参数',
  slowBody: '请求体发送过慢，请重试',
  fromOtherSite: '无效的请求',
  fromOtherOrigin:
    '无效的请求：请求头 Origin 与 Host 不一致。如使用反向代理，请让其转发 Host，或改用 HTTPS 访问',
  invalidKey: '请求头 Idempotency-Key 无效：应为 1 至 255 个可见 ASCII 字符',
  invalidHost: '请求头 Host 无效：应为 域名[:端口]',
  unavailable: '服务暂时不可用，请稍后重试',
  unknownOutcome: '操作结果未知：可能已经生效，请刷新确认后再决定是否重试',
  locked: '账本中的这部分记录已锁定，请联系管理员处理',
  rebuilding: '升级后此处数据正在重建，请稍后重试',
  internal: '服务器内部错误，请联系管理员！',
} as const

/** Mounts console routes: sign-in, own writes, validation, envelope. See command-api/http-contract/api-route.ts. */
export function mountApi(app: FastifyInstance, options: ApiOptions): void {
  leaveBodiesUnread(app)
  for (const route of options.routes) {
    app.route({
      method: route.method,
      url: route.path,
      ...(route.isForAnySite === true && { onRequest: toAnySite }),
      handler: (request, reply) => answer(route, options, request, reply),
    })
  }
  for (const [path, isForAnySite] of preflights(options.routes)) {
    // No page of another site may call the others, whatever it hears of an address without a route (console-api 1.6).
    app.options(
      path,
      isForAnySite ? answerPreflight : (request, reply) => refuseAddress(request, reply),
    )
  }
  app.setErrorHandler((error, request, reply) => {
    if (isOfClient(error)) return sendEnvelope(reply, error.statusCode, TEXTS.invalidBody)
    if (lacksTables(error) && options.isReadModelOutdated()) {
      request.log.warn({ err: error }, 'tables of another version lack what a request reads')
      void reply.header('Retry-After', REBUILD_RETRY_AFTER_SECONDS)
      return sendEnvelope(reply, 503, TEXTS.rebuilding)
    }
    request.log.error({ err: error }, 'a console request failed')
    if (error instanceof StreamUnusable) return sendEnvelope(reply, 503, TEXTS.locked)
    if (!isTransient(error)) return sendEnvelope(reply, 500, TEXTS.internal)
    if (request.method !== 'GET' && begun.has(request) && mayHaveBeenDone(error)) {
      return sendUnknownOutcome(reply, onceBy.get(request))
    }
    void reply.header('Retry-After', RETRY_AFTER_SECONDS)
    return sendEnvelope(reply, 503, TEXTS.unavailable)
  })
}

/** Requests whose work has begun. A request that fails before, when it is asked who is there, has changed nothing. */
const begun = new WeakSet<FastifyRequest>()

/** The Idempotency-Key of requests that it makes one command. */
const onceBy = new WeakMap<FastifyRequest, string>()

/**
 * It may have been done. With its key it is to be asked again for the first answer; without one, by nobody who has not
 * looked.
 */
function sendUnknownOutcome(reply: FastifyReply, key: string | undefined): FastifyReply {
  const envelope = failureEnvelope(TEXTS.unknownOutcome)
  if (key === undefined) return reply.status(503).send(envelope)
  void reply.header('Retry-After', RETRY_AFTER_SECONDS)
  return reply.status(503).send({ ...envelope, params: { key } })
}

/** A database is back within seconds of a restart, and has connections again as soon as others are done. */
const RETRY_AFTER_SECONDS = '2'

/** A read model of a million events is built anew within a minute. */
const REBUILD_RETRY_AFTER_SECONDS = '30'

/** Every path that is served, without a slash at its end, and whether pages of any site may call it. */
const preflights = (routes: readonly ApiRoute[]): ReadonlyMap<string, boolean> =>
  new Map(
    routes
      .toSorted(
        (one, other) => Number(one.isForAnySite ?? false) - Number(other.isForAnySite ?? false),
      )
      .map(({ path, isForAnySite }) => [path.replace(/\/$/, ''), isForAnySite === true]),
  )

async function answer(
  route: ApiRoute,
  options: ApiOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (isForbiddenHere(route, options)) return sendReply(reply, DEMO_SITE_REFUSAL, false)
  const from = sentFrom(request, options.serverAddress())
  if (from === 'other-site' && mayBeForged(route))
    return sendEnvelope(reply, 403, forgeryProblem(request))
  const origin = ownOrigin(request)
  if (origin === null) return sendEnvelope(reply, 400, TEXTS.invalidHost)
  const key = singleHeader(request, 'idempotency-key')
  if (key !== null && !IDEMPOTENCY_KEY.test(key)) return sendEnvelope(reply, 400, TEXTS.invalidKey)
  if (route.isCritical === true) {
    const verdict = await options.criticalLimit.take(clientKey(request.ip))
    if (!verdict.isAllowed) {
      void reply.header('Retry-After', String(verdict.retryAfterSeconds))
      return sendEnvelope(reply, 429, TOO_MANY)
    }
  }
  const sessionToken = request.cookies[SESSION_COOKIE] ?? null
  const newApiUser = singleHeader(request, 'new-api-user')
  const authentication = await options.authenticate(
    {
      sessionToken,
      authorization: request.headers.authorization ?? null,
      newApiUser,
    },
    route.access,
  )
  if (authentication.status === 'denied') {
    return sendEnvelope(reply, authentication.http, authentication.message)
  }
  await waitForOwnWrites(route, options, authentication)
  const caller = authentication.status === 'signed-in' ? authentication.caller : null
  const received = await receiveJson(route, request, reply, {
    account: caller?.userId ?? null,
    uploads: options.uploads,
  })
  if ('problem' in received) return refuseBody(reply, received)
  const parsed = await parse(route, request, received.written)
  if ('message' in parsed) {
    if (route.invalidBodyReply !== undefined) {
      return sendReply(reply, route.invalidBodyReply, request.protocol === 'https')
    }
    return sendEnvelope(reply, route.invalidBodyStatus ?? 200, parsed.message)
  }
  begun.add(request)
  const asked: ApiRequest = {
    command: UNNAMED_COMMAND,
    ...parsed,
    caller,
    ip: request.ip,
    userAgent: foreignText(request.headers['user-agent'] ?? '', USER_AGENT_CHARACTERS_MAX),
    requestId: request.id,
    sessionToken,
    visitorToken: request.cookies[VISITOR_COOKIE] ?? null,
    knownBrowserToken: request.cookies[KNOWN_BROWSER_COOKIE] ?? null,
    sentFrom: from,
    newApiUser,
    isNavigation: isNavigation(request),
    origin,
    language: preferredLanguage(request.headers['accept-language'] ?? null),
  }
  const sendFile = fileSender(request.headers.accept)
  if (route.csv !== undefined && sendFile !== null) {
    const refusal = (await route.csv.refusal?.(asked)) ?? null
    return refusal === null
      ? sendFile(reply, route.csv, asked)
      : sendReply(reply, refusal, request.protocol === 'https')
  }
  const contents = JSON.stringify([request.params, request.query, received.written])
  const isOnce = key !== null && takesIdempotencyKey(route)
  if (isOnce) onceBy.set(request, key)
  const outcome = isOnce
    ? await handleOnce(route, asked, { key, contents }, options.postedRequests)
    : await route.handle(asked)
  if (outcome.wrote !== undefined && caller !== null) {
    await options.rememberWrite(caller, outcome.wrote)
  }
  return sendReply(reply, outcome, request.protocol === 'https')
}

/** Browsers name themselves in less; a longer name is cut. */
const USER_AGENT_CHARACTERS_MAX = 300

/** The names that clients make for requests are UUIDs and the like. */
const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/

const isForbiddenHere = (route: ApiRoute, options: ApiOptions): boolean =>
  (route.changesState ?? route.method !== 'GET') &&
  route.isOpenOnDemoSite !== true &&
  options.isDemoSite()

/**
 * Whether a page of another site may not make a browser call this. A user who is signed in is safe without that, by the
 * header New-Api-User; but a form there could also sign somebody in, or up, as whom its maker likes, and see what they
 * do then.
 */
const mayBeForged = (route: ApiRoute): boolean =>
  route.method !== 'GET' && route.isForAnySite !== true

/** A proxy that rewrites Host makes our own pages look foreign; its operator must learn of it. */
const forgeryProblem = ({ headers }: FastifyRequest): string =>
  headers['sec-fetch-site'] === undefined ? TEXTS.fromOtherOrigin : TEXTS.fromOtherSite

async function waitForOwnWrites(
  route: ApiRoute,
  options: ApiOptions,
  authentication: Authentication,
): Promise<void> {
  if (route.reads === undefined || authentication.status !== 'signed-in') return
  await options.waitForReadModels(route.reads, authentication.lastPosition)
}

function refuseBody(reply: FastifyReply, { problem }: BodyProblem): FastifyReply {
  switch (problem) {
    case 'too-large':
      return sendEnvelope(reply, 413, TEXTS.invalidBody)
    case 'too-slow':
    case 'too-long':
      return sendEnvelope(reply, 408, TEXTS.slowBody)
    case 'no-room':
    case 'unwelcome':
      void reply.header('Retry-After', String(UPLOAD_RETRY_AFTER_SECONDS))
      return sendEnvelope(reply, 503, TEXTS.unavailable)
    case 'aborted':
      // Nobody is there to read it.
      return sendEnvelope(reply, 400, TEXTS.invalidBody)
    default:
      return problem satisfies never
  }
}

type Parsed = Pick<ApiRequest, 'params' | 'query' | 'body'>

async function parse(
  route: ApiRoute,
  request: Pick<FastifyRequest, 'params' | 'query'>,
  written: unknown,
): Promise<Parsed | { message: string }> {
  const params = await validated(route.params, request.params)
  if ('message' in params) return params
  const query = await validated(route.query, request.query)
  if ('message' in query) return query
  const body = await validated(route.body, written ?? {})
  if ('message' in body) {
    const message = written === UNREADABLE_BODY ? TEXTS.invalidBody : body.message
    return { message: route.invalidBodyMessage ?? message }
  }
  return { params: params.value, query: query.value, body: body.value }
}

async function validated(
  schema: Schema<unknown> | undefined,
  value: unknown,
): Promise<{ value: unknown } | { message: string }> {
  if (schema === undefined) return { value }
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return { value: result.value }
  return { message: result.issues[0]?.message ?? TEXTS.invalidBody }
}

function sendReply(reply: FastifyReply, outcome: ApiReply, isHttps: boolean): FastifyReply {
  if (outcome.session !== undefined) setSessionCookie(reply, outcome.session, isHttps)
  if (outcome.visitor !== undefined) setVisitorCookie(reply, outcome.visitor, isHttps)
  if (outcome.knownBrowser !== undefined) {
    setKnownBrowserCookie(reply, outcome.knownBrowser, isHttps)
  }
  for (const [name, value] of Object.entries(outcome.headers ?? {})) void reply.header(name, value)
  if (outcome.whole !== undefined) return reply.status(outcome.status ?? 200).send(outcome.whole)
  const message = outcome.message ?? ''
  const envelope = {
    ...((outcome.success ?? true)
      ? { success: true, message, ...codedSuccess(message) }
      : failureEnvelope(message)),
    ...(outcome.data === undefined ? {} : { data: outcome.data }),
    ...outcome.extra,
  }
  return reply.status(outcome.status ?? 200).send(envelope)
}

const sendEnvelope = (reply: FastifyReply, status: number, message: string): FastifyReply =>
  reply.status(status).send(failureEnvelope(message))

function singleHeader(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

const isOfClient = (error: unknown): error is Error & { statusCode: number } =>
  error instanceof Error &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode >= 400 &&
  error.statusCode < 500
