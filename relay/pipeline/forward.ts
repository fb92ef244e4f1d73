import type { IncomingHttpHeaders } from 'node:http'
import type { ChannelId } from '@tollgate/domain/ids.ts'
import type { BookPrice } from '@tollgate/domain/pricing/price.ts'
import type { AskedTerms } from '@tollgate/domain/pricing/price-factors.ts'
import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import { foreignText } from '@tollgate/domain/text.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import { sumOf } from '../metering/openai-usage.ts'
import { roughPrompt, uncountedBound } from '../metering/prompt-bound.ts'
import { isNative } from '../channel-fit.ts'
import { BigAnswer } from '../protocols/big-answer.ts'
import { mapped, readAnswer, type WholeAnswer } from '../protocols/read-answer.ts'
import type { IdNames } from '../protocols/id-names.ts'
import { isUnusable, send } from '../protocols/send.ts'
import type { Passage } from '../protocols/passage.ts'
import type { Outgoing, OutgoingOptions, UpstreamProtocol } from '../protocols/upstream-protocol.ts'
import { protocolFor } from '../protocols/upstream-protocols.ts'
import { BufferedStream } from '../upstream/buffered-stream.ts'
import type { UpstreamAnswer, UpstreamCall, UpstreamStream } from '../upstream/call.ts'
import {
  garbageError,
  UNTRANSLATABLE,
  untranslatableError,
  type UpstreamError,
  unreachableError,
} from '../upstream/errors.ts'
import { fetchImage } from '../upstream/fetch-image.ts'
import { googleToken } from '../upstream/google-tokens.ts'
import { headersDown } from '../upstream/passed-headers.ts'
import { type Admission, noChannel } from './admit.ts'
import type { AttemptEnd } from './attempts.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import { holdForChannel, type Coverage } from './hold.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'
import { longPromptRefusal } from './long-prompt.ts'
import { MEMBERS } from './price.ts'
import { isRetryable } from './retry.ts'
import { type Routed, route } from './route.ts'
import { STOPPED } from './stopped.ts'
import { StreamCover } from './stream-cover.ts'
import { StreamDelivery, type StreamEnd } from './stream-delivery.ts'
import { concludeTrial, type Shown, shownBy } from './trial.ts'

/** The answer that upstream gave, and how far it has reached the client. */
export type Delivery = WholeDelivery | DeliveredStream

interface DeliveryBase {
  readonly channel: ChannelFacts
  readonly upstreamModel: string
  readonly reasoningEffort: string | null
  readonly isThinkingLost: boolean
}

/** A whole answer in hand; nothing of it has been sent. */
export type WholeDelivery = DeliveryBase & WholeAnswer

/** A stream that has been delivered up to its last event. */
export interface DeliveredStream extends DeliveryBase {
  readonly kind: 'stream'
  readonly headers: IncomingHttpHeaders
  readonly delivery: StreamDelivery
  readonly end: StreamEnd
}

/** One attempt that gave the client nothing. */
interface FailedAttempt {
  readonly kind: 'failed'
  readonly error: UpstreamError
  /** The usage that upstream reported all the same; null when it reported none. */
  readonly usage: Usage | null
}

/** An admitted request with the price and the quota that it is forwarded at. */
export interface AdmittedExchange {
  readonly exchange: Exchange
  readonly admission: Admission
  readonly price: BookPrice
  readonly coverage: Coverage
}

/**
 * Sends the request to a channel, and to another while no content has reached the client and the failure is worth it
 * (decisions 12, 13). The refusal is upstream's own last error, unless the process stops, no channel is left or quota
 * runs out.
 */
export async function forward(
  { exchange, admission, price, coverage }: AdmittedExchange,
  deps: RelayDeps,
): Promise<Delivery | Refusal> {
  const { retryTimes } = deps.directory.settings
  const { answer } = exchange
  const attemptsMax = admission.caller.pinnedChannel === null ? retryTimes + 1 : 1
  const failed = new Set<ChannelId>()
  let attempts = 0
  let hasTried = false
  let last: UpstreamError | null = null
  const refused = new Set<ChannelId>()
  while (attempts < attemptsMax && !answer.isStopped) {
    const routed = route(admission, { attempts, failed, refused, hasTried }, deps)
    if (routed === null) break
    const { channel, trial } = routed
    if (refused.has(channel.id)) break
    const ended = exchange.attempts.begin(channel.id, deps.clock)
    exchange.channelType = channel.terms.type
    const outcome = await attemptAs(routed, { exchange, admission, price, coverage }, deps)
    ended(endOf(outcome))
    if (isRefusal(outcome)) return outcome
    if (outcome.kind === 'stream' && outcome.end === 'failed') {
      report(channel, exchange.model, streamError(outcome.delivery), deps)
    }
    if (outcome.kind !== 'failed') return outcome
    last = outcome.error
    failed.add(channel.id)
    report(channel, exchange.model, last, deps)
    if (answer.isGone || answer.isStopped || !isWorthAnother(last)) break
    // Nothing was sent: another channel may have words for it.
    if (last.code === UNTRANSLATABLE) refused.add(channel.id)
    // Whose request is a channel's trial should not be worse off for it: it is no retry.
    if (trial !== null) hasTried = true
    else if (last.code !== UNTRANSLATABLE) attempts += 1
  }
  if (answer.isStopped) return STOPPED
  return last === null ? noChannel(admission) : refusalOf(last)
}

/** Another channel may do better, or speak a protocol that has words for all of the request. */
const isWorthAnother = (error: UpstreamError): boolean =>
  isRetryable(error) || error.code === UNTRANSLATABLE

/** One attempt; a trial is concluded by it, however it ends. */
async function attemptAs(
  { channel, trial }: Routed,
  { exchange, admission, price, coverage }: AdmittedExchange,
  deps: RelayDeps,
): Promise<Delivery | FailedAttempt | Refusal> {
  let shown: Shown = null
  try {
    const outcome = await attemptOn(channel, { exchange, admission, price, coverage }, deps)
    if (!isRefusal(outcome)) shown = shownByAttempt(outcome, exchange)
    return outcome
  } finally {
    if (trial !== null) concludeTrial(trial, shown, deps)
  }
}

const REASON_MAX = 200

/** How an attempt ended, as the charge keeps it. */
function endOf(outcome: Delivery | FailedAttempt | Refusal): AttemptEnd {
  if (isRefusal(outcome)) {
    const why = foreignText(outcome.message, REASON_MAX)
    return { status: null, code: outcome.code, why, usage: null }
  }
  if (outcome.kind === 'whole') return { ...ANSWERED, status: outcome.status }
  if (outcome.kind === 'failed') return failedEnd(outcome.error, outcome.usage)
  if (outcome.end === 'failed') return failedEnd(streamError(outcome.delivery), null)
  return outcome.end === 'complete' ? ANSWERED : { ...ANSWERED, why: outcome.end }
}

const ANSWERED: AttemptEnd = { status: 200, code: null, why: null, usage: null }

const failedEnd = (
  { upstreamStatus, code, message }: UpstreamError,
  usage: Usage | null,
): AttemptEnd => ({ status: upstreamStatus, code, why: foreignText(message, REASON_MAX), usage })

/** An attempt's evidence on its channel; none when the attempt ended because of the client or of this side. */
function shownByAttempt(outcome: Delivery | FailedAttempt, { answer }: Exchange): Shown {
  if (outcome.kind === 'whole') return 'works'
  if (answer.isGone || answer.isStopped) return null
  if (outcome.kind === 'failed') return shownBy(outcome.error)
  if (outcome.end === 'complete') return 'works'
  return outcome.end === 'failed' ? shownBy(streamError(outcome.delivery)) : null
}

async function attemptOn(
  channel: ChannelFacts,
  { exchange, admission, price, coverage }: AdmittedExchange,
  deps: RelayDeps,
): Promise<Delivery | FailedAttempt | Refusal> {
  const { request } = admission
  const protocol = protocolFor(channel, request)
  if (isUnusable(protocol)) return { kind: 'failed', error: protocol, usage: null }
  const { isNativeOnly, path, protocol: spoken } = request.endpoint
  if (isNativeOnly === true && !isNative(protocol.name, spoken)) {
    const text = `channels of type ${channel.type.name} do not serve ${path}`
    return { kind: 'failed', error: untranslatableError('', text), usage: null }
  }
  if (!channel.allowsPriceTerms) {
    const error =
      request.terms === undefined
        ? await longPromptRefusal(exchange.answer, admission, price, deps)
        : termsNotAllowed(request.terms)
    if (error !== null) return { kind: 'failed', error, usage: null }
  }
  const outgoing = (): ReturnType<UpstreamProtocol['outgoing']> =>
    protocol.outgoing(request, channel, outgoingOptions(exchange, admission, deps))
  const made = outgoing()
  const first = made instanceof Promise ? await made : made
  if (isUnusable(first)) return { kind: 'failed', error: first, usage: null }
  let sent = first
  const covered = await holdForChannel(coverage, { request, sent, price }, deps)
  if (isRefusal(covered)) return covered
  let begun = await beginOn({ channel, protocol, sent }, exchange, deps)
  const isLearnt =
    !('error' in begun) &&
    (await protocol.learnsFrom(begun.answer, sent, channel, deps.clock.now()))
  if (isLearnt && !exchange.answer.isGone && !exchange.answer.isStopped) {
    const again = await outgoing()
    if (isUnusable(again)) return { kind: 'failed', error: again, usage: null }
    sent = again
    begun = await beginOn({ channel, protocol, sent }, exchange, deps)
  }
  if ('error' in begun) return { kind: 'failed', error: begun.error, usage: null }
  const { call, answer } = begun
  const { model: upstreamModel, reasoningEffort, isThinkingLost = false } = sent
  const base = { channel, upstreamModel, reasoningEffort, isThinkingLost }
  const names = idNames(channel, admission, covered, deps)
  const thoughts = deps.thoughts.of(admission.caller.user.id)
  const passageOf = (isSimulated: boolean): Passage =>
    protocol.passage(request, channel, deps.clock.now(), { names, thoughts, isSimulated })
  const deliver = (source: StreamSource): Promise<DeliveredStream | FailedAttempt> =>
    deliverStream(source, { exchange, admission, price, coverage: covered }, { base, sent }, deps)
  if (answer.kind !== 'stream') {
    exchange.answer.whenGone(null)
    const { endpoint, stream } = request
    const read = await readAnswer(answer, { protocol, endpoint, channel, stream }, deps)
    if (read.kind === 'failed') return { ...read, usage: null }
    const { events, thoughts: told } = read.reply
    if (events !== undefined) {
      const inHand = new BufferedStream(
        Buffer.from(events.buffer, events.byteOffset, events.length),
      )
      const source = { headers: read.headers, stream: inHand, passage: passageOf(true) }
      return deliver({ ...source, of: 'whole answer', abort: () => inHand.abort() })
    }
    // Its head says that a stream follows: this answer cannot be written as one.
    if (exchange.answer.hasBegun)
      return { kind: 'failed', error: NO_STREAM, usage: sumOf(read.usage) }
    const body = protocol.sealedBody?.(read.body, names) ?? read.body
    told?.byCall.forEach((thought, call) => thoughts.keep(told.of, call, thought))
    return { ...base, ...read, body }
  }
  const { headers, isBig = false } = answer
  if (isBig && !mayPassBig(protocol, request, exchange)) {
    call.abort()
    return { kind: 'failed', error: TOO_BIG, usage: null }
  }
  const passage = isBig
    ? new BigAnswer('application/json', (report) => protocol.usageOf(report, channel))
    : passageOf(false)
  const { stream } = answer
  const of = isBig ? 'big answer' : 'stream'
  return deliver({ headers, stream, passage, of, abort: () => call.abort() })
}

/** A stream that can be delivered. */
interface StreamSource {
  readonly headers: IncomingHttpHeaders
  readonly stream: UpstreamStream
  readonly passage: Passage
  /** A whole answer is upstream's in one piece: it was paid for, whatever its client still takes of it. */
  readonly of: 'stream' | 'whole answer' | 'big answer'
  readonly abort: () => void
}

async function deliverStream(
  { headers, stream, passage, of, abort }: StreamSource,
  { exchange, admission: { request }, price, coverage }: AdmittedExchange,
  { base, sent }: { readonly base: DeliveryBase; readonly sent: Outgoing },
  deps: RelayDeps,
): Promise<DeliveredStream | FailedAttempt> {
  const { settings } = deps.directory
  const { channel } = base
  const isPaid = of === 'whole answer'
  const delivery = new StreamDelivery({
    upstream: stream,
    answer: exchange.answer,
    headers: headersDown(headers, channel),
    passage,
    cover: new StreamCover({
      output: passage.output,
      price,
      coverage,
      audioFormat: request.audioFormat,
      // No client can use a part of an answer that it asked for at once.
      finishesOverdrawn: settings.finishesOverdrawn || isPaid || !request.stream,
      countPrompt: async () =>
        (await deps.counter.countPrompt(sent.model, request)).tokens + uncountedBound(request),
      countText: async (text) => (await deps.counter.countTexts(sent.model, [text])).tokens,
    }),
    queueChunks: settings.streamQueueChunks,
    pingEveryMs: of === 'big answer' ? null : settings.pingEveryMs,
    headHeldMs: deps.limits.headHeldMs,
    drainsCancelled: settings.drainsCancelled || isPaid,
    now: () => deps.clock.monotonicMs(),
    abortUpstream: abort,
  })
  const end = await delivery.ended
  const { firstChunkMs } = delivery
  exchange.firstByteMs =
    firstChunkMs === null ? null : Math.round(firstChunkMs - exchange.startedMs)
  const gaveNothing = end === 'complete' && !passage.hasStarted && passage.report === null
  const hasFailed = end === 'failed' || gaveNothing
  if (!delivery.hasBegun && hasFailed) {
    const error = mapped(streamError(delivery), channel)
    return { kind: 'failed', error, usage: sumOf(passage.usage) }
  }
  return { ...base, kind: 'stream', headers, delivery, end: hasFailed ? 'failed' : end }
}

/** A channel whose provider is not to be asked for other terms; another may be. */
function termsNotAllowed({ tier, fast }: AskedTerms): UpstreamError {
  const [param, said] = MEMBERS[tier ?? (fast === true ? 'fast' : 'geo')]
  return untranslatableError(param, `${said} is not allowed on the channel of this model`)
}

/** Ids of responses as this client is to know them; what one is as input of the next is bounded by what it reserved. */
function idNames(
  { id: channel }: ChannelFacts,
  { caller, request }: Admission,
  { promptBound, outputCovered }: Coverage,
  { responseIds }: RelayDeps,
): IdNames {
  const tokens = Math.min(promptBound, roughPrompt(request)) + outputCovered
  let given: { readonly id: string; readonly sealed: string } | null = null
  const previous = request.fields['previous_response_id']
  return {
    previous: () => (typeof previous === 'string' ? previous : ''),
    seal(id) {
      if (given?.id !== id) {
        given = { id, sealed: responseIds.seal(caller.user.id, { channel, id, tokens }) }
      }
      return given.sealed
    },
  }
}

/** A big answer passes as it is: it cannot be put in other words, nor the ids in it sealed, nor follow a stream's head. */
const mayPassBig = (
  protocol: UpstreamProtocol,
  { endpoint }: Admission['request'],
  { answer }: Exchange,
): boolean =>
  isNative(protocol.name, endpoint.protocol) &&
  protocol.sealedBody === undefined &&
  !answer.hasBegun

const TOO_BIG = garbageError(200, 'upstream sent an answer over 64 MiB that cannot be read at once')
const NO_STREAM = garbageError(200, 'upstream answered at once where a stream had begun')

/** The options that requests to upstream are put together by. */
export const outgoingOptions = (
  { headers }: Exchange,
  { caller }: Admission,
  { directory, clock, answers, thoughts, dispatchers, publicDispatchers, limits }: RelayDeps,
): OutgoingOptions => ({
  passThrough: directory.settings.passesThrough,
  now: clock.now(),
  claude: directory.settings.claude,
  gemini: directory.settings.gemini,
  headers,
  thoughts: thoughts.of(caller.user.id),
  fetchImage: (url) => fetchImage(url, { publicDispatchers, limits }),
  googleToken: (channel) => googleToken(channel, { dispatchers, clock, limits }),
  translateLong: (raw, terms) => answers.translate(raw, terms),
})

/** A kept connection that is closed at once was closed while idle; upstream has not seen the request. */
const STALE_WITHIN_MS = 1_000

/** Sends the request, once more if the connection turns out to have been closed while it lay idle. */
async function beginOn(
  {
    channel,
    protocol,
    sent,
  }: {
    readonly channel: ChannelFacts
    readonly protocol: UpstreamProtocol
    readonly sent: Outgoing
  },
  exchange: Exchange,
  deps: RelayDeps,
): Promise<Begun | { readonly error: UpstreamError }> {
  const { firstByteMs, drainsCancelled } = deps.directory.settings
  const limits = { firstByteMs, idleMs: deps.limits.idleMs }
  for (let again = false; ; again = true) {
    const sentMs = deps.clock.monotonicMs()
    const call = send({ channel, protocol, sent }, exchange, { ...deps, limits, streamsBig: true })
    if (isUnusable(call)) return { error: call }
    exchange.answer.whenGone((by) => {
      if (by === 'stop' || !drainsCancelled) call.abort()
    })
    const answer = await call.answer
    const isStale = answer.kind === 'unreachable' && answer.reason === 'stale'
    const isSoon = deps.clock.monotonicMs() - sentMs < STALE_WITHIN_MS
    if (!isStale || !isSoon || again || exchange.answer.isGone) return { call, answer }
  }
}

interface Begun {
  readonly call: UpstreamCall
  readonly answer: UpstreamAnswer
}

/** Why a stream failed. */
export function streamError(delivery: StreamDelivery): UpstreamError {
  const { passage, failure } = delivery
  if (passage.error !== null) return passage.error
  if (passage.fault !== null) return garbageError(200, passage.fault)
  if (failure !== null) return unreachableError(failure)
  return garbageError(
    200,
    delivery.hasBegun ? 'upstream stopped mid-stream' : 'upstream sent an empty stream',
  )
}

function report(channel: ChannelFacts, model: string, error: UpstreamError, deps: RelayDeps): void {
  // Only upstream's own answer tells anything of its key or account.
  if (error.upstreamStatus === null) return
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

/** Upstream's error as a refusal to the client. */
export const refusalOf = (error: UpstreamError): Refusal =>
  // A redirect says nothing to a client that did not ask for the other address.
  refusal(error.status < 400 ? 502 : error.status, error.code, error.message, {
    type: error.type,
    param: error.param,
    retryAfterSeconds: error.retryAfterSeconds,
    members: error.members ?? {},
    headers: error.headers ?? {},
  })
