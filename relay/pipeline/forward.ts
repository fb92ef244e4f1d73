import type { ChannelId } from '@tollgate/domain/ids.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import { chunkRewriter } from '../protocols/openai/chunk-rewriter.ts'
import { isObject } from '../protocols/openai/request.ts'
import { type UpstreamBody, upstreamBody } from '../protocols/openai/request-edits.ts'
import { readWholeReply, type WholeReply } from '../protocols/openai/whole-reply.ts'
import { addressOf } from '../upstream/address.ts'
import { callUpstream, type UpstreamAnswer, type UpstreamCall } from '../upstream/call.ts'
import { credentialHeaders } from '../upstream/credentials.ts'
import { decoded } from '../upstream/decoded.ts'
import {
  errorInAnswer,
  garbageError,
  type UpstreamError,
  unreachableError,
  upstreamError,
} from '../upstream/errors.ts'
import { headerText } from '../upstream/header-text.ts'
import type { Admission } from './admit.ts'
import type { RelayDeps } from './deps.ts'
import { noChannel } from './admit.ts'
import type { Exchange } from './exchange.ts'
import type { Reservation } from './hold.ts'
import { type Refusal, refusal } from './refusal.ts'
import { isRetryable } from './retry.ts'
import { route } from './route.ts'
import { StreamDelivery, type StreamEnd } from './stream-delivery.ts'

/** What upstream gave and how far it has reached the client. */
export type Delivery = WholeDelivery | DeliveredStream

interface DeliveryBase {
  readonly channel: ChannelFacts
  readonly upstreamModel: string
  readonly reasoningEffort: string | null
}

/** A whole answer in hand; nothing of it has been sent. */
export interface WholeDelivery extends DeliveryBase {
  readonly kind: 'whole'
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
  readonly reply: Extract<WholeReply, { status: 'answered' }>
}

/** A stream that has been delivered up to its last event. */
export interface DeliveredStream extends DeliveryBase {
  readonly kind: 'stream'
  readonly delivery: StreamDelivery
  readonly end: StreamEnd
}

/** One attempt that gave the client nothing. */
interface FailedAttempt {
  readonly kind: 'failed'
  readonly error: UpstreamError
}

/**
 * Sends the request to a channel, and to another while nothing has reached the client and the failure is worth it
 * (decisions 12, 13). The refusal is upstream's own last error.
 */
export async function forward(
  exchange: Exchange,
  admission: Admission,
  price: Price,
  reservation: Reservation,
  deps: RelayDeps,
): Promise<Delivery | Refusal> {
  const { retryTimes } = deps.directory.settings
  const attempts = admission.caller.pinnedChannel === null ? retryTimes + 1 : 1
  const failed = new Set<ChannelId>()
  let last: UpstreamError | null = null
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const channel = route(admission, attempt, failed, deps)
    if (channel === null) break
    exchange.path.push(channel.id)
    const outcome = await attemptOn(channel, exchange, admission, price, reservation, deps)
    if (outcome.kind !== 'failed') return outcome
    last = outcome.error
    failed.add(channel.id)
    report(channel, exchange.model, last, deps)
    if (exchange.answer.isGone || !isRetryable(last)) break
  }
  return last === null
    ? noChannel(admission.caller.group, admission.request.model)
    : refusalOf(last)
}

async function attemptOn(
  channel: ChannelFacts,
  exchange: Exchange,
  admission: Admission,
  price: Price,
  reservation: Reservation,
  deps: RelayDeps,
): Promise<Delivery | FailedAttempt> {
  const { request } = admission
  const { settings } = deps.directory
  const sent = upstreamBody(request, channel, settings.passesThrough)
  const call = send(channel, sent, exchange, deps)
  if (isError(call)) return { kind: 'failed', error: call }
  exchange.answer.whenGone(() => call.abort())
  const answer = await call.answer
  const base = { channel, upstreamModel: sent.model, reasoningEffort: sent.reasoningEffort }
  if (answer.kind !== 'stream') {
    exchange.answer.whenGone(null)
    const read = readAnswer(answer, exchange, channel)
    return read.kind === 'failed' ? read : { ...base, ...read }
  }
  const delivery = new StreamDelivery({
    upstream: answer.stream,
    answer: exchange.answer,
    options: { showUsage: request.wantsUsage, rewrite: chunkRewriter(channel.chunks) },
    price,
    reservation,
    queueChunks: settings.streamQueueChunks,
    now: () => deps.clock.monotonicMs(),
    abortUpstream: () => call.abort(),
  })
  const end = await delivery.ended
  const gaveNothing = end === 'complete' && delivery.stream.usage === null
  if (!delivery.hasBegun && (end === 'failed' || gaveNothing)) {
    return { kind: 'failed', error: mapped(streamError(delivery, channel), channel) }
  }
  return { ...base, kind: 'stream', delivery, end }
}

function send(
  channel: ChannelFacts,
  sent: UpstreamBody,
  exchange: Exchange,
  deps: RelayDeps,
): UpstreamCall | UpstreamError {
  const { type, terms } = channel
  const { path, mode } = exchange.endpoint
  if (type.protocol !== 'openai') {
    return misconfigured(`channel type ${type.name} speaks a protocol that is not built yet`)
  }
  if (!type.modes.includes(mode)) {
    return misconfigured(`channel type ${type.name} does not serve ${path}`)
  }
  // Reasoning models think before they speak (decision 13).
  const patience = /^o[13]/.test(sent.model) ? 2 : 1
  try {
    return callUpstream({
      dispatcher: deps.dispatchers.through(channel.proxy),
      address: addressOf({
        rule: type.url,
        baseUrl: channel.baseUrl,
        other: terms.other,
        path,
        upstreamModel: sent.model,
      }),
      method: 'POST',
      headers: headersFor(channel, exchange, deps.clock.now()),
      body: sent.body,
      firstByteMs: deps.limits.firstByteMs * patience,
      idleMs: deps.limits.idleMs * patience,
    })
  } catch (error) {
    // A base URL or proxy that is none: the channel's fault, and another may do.
    return misconfigured(error instanceof TypeError ? error.message : String(error))
  }
}

/** Only what upstream needs goes there: no header of the client's but what kind of answer it takes. */
export function headersFor(
  channel: ChannelFacts,
  exchange: Pick<Exchange, 'stream'>,
  now: number,
): Readonly<Record<string, string>> {
  const { type, terms, key } = channel
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: exchange.stream ? 'text/event-stream' : 'application/json',
    ...credentialHeaders(type.auth, key, now),
  }
  if (type.quirks.includes('organization-header') && terms.openaiOrganization !== '') {
    headers['openai-organization'] = terms.openaiOrganization
  }
  if (type.quirks.includes('openrouter-headers')) headers['x-title'] = 'Tollgate'
  if (type.quirks.includes('dashscope-headers')) {
    if (exchange.stream) headers['x-dashscope-sse'] = 'enable'
    if (terms.other !== '') headers['x-dashscope-plugin'] = terms.other
  }
  return headers
}

type ReadAnswer = FailedAttempt | Omit<WholeDelivery, keyof DeliveryBase>

function readAnswer(
  answer: Exclude<UpstreamAnswer, { kind: 'stream' }>,
  exchange: Exchange,
  channel: ChannelFacts,
): ReadAnswer {
  const fail = (error: UpstreamError): FailedAttempt => ({
    kind: 'failed',
    error: mapped(error, channel),
  })
  if (answer.kind === 'unreachable') return fail(unreachableError(answer))
  const { status, headers } = answer
  const body = decoded(answer.body, headers)
  if (body === null) return fail(garbageError(status, 'upstream sent an unreadable encoding'))
  if (status !== 200) {
    const retryAfter = Number(headerText(headers, 'retry-after'))
    const error = upstreamError(status, body, channel.key)
    return fail({ ...error, retryAfterSeconds: retryAfter > 0 ? Math.ceil(retryAfter) : null })
  }
  const reply = readWholeReply(exchange.endpoint, body)
  if (reply.status === 'garbage') return fail(garbageError(status, reply.reason))
  if (reply.status === 'error') return fail(errorInAnswer(reply.error, channel.key))
  const contentType = headerText(headers, 'content-type') || 'application/json'
  return { kind: 'whole', status, contentType, body, reply }
}

/** Why a stream failed. */
export function streamError(delivery: StreamDelivery, channel: ChannelFacts): UpstreamError {
  const { stream, failure } = delivery
  if (stream.error !== null) return errorInAnswer(stream.error, channel.key)
  if (stream.fault !== null) return garbageError(200, stream.fault)
  if (failure !== null) return unreachableError(failure)
  return garbageError(
    200,
    delivery.hasBegun ? 'upstream stopped mid-stream' : 'upstream sent an empty stream',
  )
}

/** The channel's status_code_mapping, applied before anyone decides by the status (relay-and-billing.md 3.4). */
function mapped(error: UpstreamError, channel: ChannelFacts): UpstreamError {
  const status = channel.statusCodeMapping.get(error.status)
  return status === undefined ? error : { ...error, status }
}

/** A channel that cannot be used as it is set up; retried on others like an upstream failure. */
function misconfigured(message: string): UpstreamError {
  return {
    ...garbageError(0, ''),
    upstreamStatus: null,
    status: 503,
    code: 'invalid_channel',
    message,
  }
}

const isError = (call: UpstreamCall | UpstreamError): call is UpstreamError =>
  isObject(call) && 'bodyExcerpt' in call

function report(channel: ChannelFacts, model: string, error: UpstreamError, deps: RelayDeps): void {
  if (error.code === 'client_closed_request') return
  deps.reportChannelFailure({
    channel: channel.id,
    model,
    upstreamStatus: error.upstreamStatus,
    errorType: error.type,
    errorCode: error.code,
    message: error.message,
    bodyExcerpt: error.bodyExcerpt,
  })
}

const refusalOf = (error: UpstreamError): Refusal =>
  // A redirect says nothing to a client that did not ask for the other address.
  refusal(error.status < 400 ? 502 : error.status, error.code, error.message, {
    type: error.type,
    param: error.param,
    retryAfterSeconds: error.retryAfterSeconds,
  })
