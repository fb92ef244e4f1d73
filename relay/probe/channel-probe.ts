import { isBanWorthy } from '@tollgate/domain/channel/ban.ts'
import { testProblem } from '@tollgate/domain/channel/untestable.ts'
import type { ChannelId } from '@tollgate/domain/ids.ts'
import {
  type ChannelProbe,
  type ProbedChannel,
  ProbeFailed,
  type ProbeOutcome,
} from '@tollgate/domain/ports/channel-probe.ts'
import { completionTokens, promptTokens } from '@tollgate/domain/pricing/usage.ts'
import { foreignText } from '@tollgate/domain/text.ts'
import type { Protocol } from '../channel-types.ts'
import { channelFacts } from '../directory/channel-facts.ts'
import { fetchImage } from '../upstream/fetch-image.ts'
import { googleToken } from '../upstream/google-tokens.ts'
import type { AccountThoughts } from '../protocols/chat/kept-thought.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import { sumOf } from '../metering/openai-usage.ts'
import { readAnswer, type ReadAnswer } from '../protocols/read-answer.ts'
import { isUnusable, send } from '../protocols/send.ts'
import { garbageError, type UpstreamError } from '../upstream/errors.ts'
import { isObject } from '../json.ts'
import type { ModelRequest } from '../protocols/model-request.ts'
import { MESSAGES } from '../protocols/claude/request.ts'
import { clientProtocol } from '../protocols/client-protocols.ts'
import { scanBody } from '../protocols/json-body.ts'
import { CHAT, EMBEDDINGS } from '../protocols/openai/request.ts'
import { protocolFor } from '../protocols/upstream-protocols.ts'
import { isRefusal } from '../refusal.ts'
import { answerInTime } from './answer-in-time.ts'
import { readBalanceOf } from './balance.ts'
import { getJson } from './get-json.ts'
import { modelsAddress } from './models-address.ts'
import type { ProbeDeps } from './probe-deps.ts'
import { vertexModels } from './vertex-models.ts'
import { wordsForAdmins } from './words-for-admins.ts'

/** Tests channels, lists their models and reads their balance with the relay's own protocol code (channels.md 4). */
export function makeChannelProbe(deps: ProbeDeps): ChannelProbe {
  return {
    test: (channel, model, signal) => test(channel, model, within(channel, deps), signal),
    fetchModels: (channel) => told(() => fetchModels(channel, within(channel, deps))),
    readBalance: (channel, signal) =>
      told(() => readBalanceOf(factsOf(channel), within(channel, deps), signal)),
  }
}

/** Connections that reach as far as the caller may. */
const within = ({ reach }: ProbedChannel, deps: ProbeDeps): ProbeDeps =>
  reach === 'public' ? { ...deps, dispatchers: deps.publicDispatchers } : deps

/** A base URL that is no address is reported like any other trouble with upstream. */
async function told<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    const isNoAddress =
      error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_URL'
    throw isNoAddress ? new ProbeFailed('渠道 API 地址无效', error) : error
  }
}

async function test(
  channel: ProbedChannel,
  model: string,
  deps: ProbeDeps,
  signal?: AbortSignal,
): Promise<ProbeOutcome> {
  const startedMs = deps.clock.monotonicMs()
  const facts = factsOf(channel)
  const untestable = testProblem(facts.type.id)
  if (untestable !== null) return failed(0, untestable)
  const request = tinyRequest(facts, model)
  const outcome = await askOnce(facts, request, deps, signal)
  const durationMs = Math.round(deps.clock.monotonicMs() - startedMs)
  if (outcome.kind === 'failed') return failedUpstream(facts, outcome.error, durationMs, deps)
  const usage = sumOf(outcome.usage)
  if (!outcome.reply.hasContent) return failed(durationMs, NO_CONTENT, outcome.status)
  return {
    succeeded: true,
    durationMs,
    error: '',
    remark: usage === null ? NO_USAGE : '',
    upstreamStatus: outcome.status,
    bodyExcerpt: '',
    banWorthy: false,
    promptTokens: usage && promptTokens(usage),
    completionTokens: usage && completionTokens(usage),
  }
}

const NO_CONTENT = '上游的响应没有内容，请检查渠道类型、API 地址和测试模型'
/** Its requests are counted here (decision 5): some providers never report usage, and their channels serve. */
const NO_USAGE = '上游没有返回用量信息（usage），请求将按本地计数计费'

/** A probe calls no tools. */
const NO_THOUGHTS: AccountThoughts = { keep: () => undefined, find: () => new Map() }

async function askOnce(
  facts: ChannelFacts,
  request: ModelRequest,
  deps: ProbeDeps,
  signal?: AbortSignal,
): Promise<ReadAnswer> {
  const { endpoint } = request
  const protocol = protocolFor(facts, request)
  if (isUnusable(protocol)) return { kind: 'failed', error: protocol }
  const sent = await protocol.outgoing(request, facts, {
    passThrough: false,
    now: deps.clock.now(),
    claude: { defaultMaxTokens: new Map(), thinkingShare: null, modelHeaders: new Map() },
    gemini: {
      safety: new Map(),
      versions: new Map(),
      imageModels: new Set(),
      thinkingShare: null,
    },
    headers: {},
    thoughts: NO_THOUGHTS,
    fetchImage: (url) => fetchImage(url, deps),
    googleToken: (channel) => googleToken(channel, deps),
    translateLong: (raw, terms) => deps.answers.translate(raw, terms),
  })
  if (isUnusable(sent)) return { kind: 'failed', error: sent }
  const call = send({ channel: facts, protocol, sent }, { endpoint, stream: false }, deps)
  if (isUnusable(call)) return { kind: 'failed', error: call }
  const answer = await answerInTime(call, signal)
  if (answer.kind !== 'stream') {
    return readAnswer(answer, { protocol, endpoint, channel: facts, stream: false }, deps)
  }
  call.abort()
  const reason = 'the channel answers with a stream to a request for none'
  return { kind: 'failed', error: garbageError(200, reason) }
}

/** One "hi" with the smallest output the model allows, or one embedding (channels.md 4). */
function tinyRequest(facts: ChannelFacts, model: string): ModelRequest {
  const isEmbedding = /embed|bge-|^m3e/.test(model) || facts.type.id === 44
  const body = isEmbedding
    ? { model, input: ['hello world'] }
    : { model, messages: [{ role: 'user', content: 'hi' }], stream: false, ...smallest(model) }
  const chat = ANTHROPIC.has(facts.type.protocol) ? MESSAGES : CHAT
  const endpoint = isEmbedding ? EMBEDDINGS : chat
  const bytes = Buffer.from(JSON.stringify(body))
  const scan = scanBody(bytes)
  const request = isRefusal(scan)
    ? scan
    : clientProtocol(endpoint.protocol).read(endpoint, bytes, scan)
  if (isRefusal(request)) throw new ProbeFailed(request.message)
  return request
}

/** Providers of Anthropic's messages. */
const ANTHROPIC: ReadonlySet<Protocol> = new Set(['claude', 'bedrock'])

function smallest(model: string): Readonly<Record<string, number>> {
  if (/^o[13]/.test(model)) return { max_completion_tokens: 10 }
  if (model.includes('thinking')) return model.includes('claude') ? {} : { max_tokens: 50 }
  return { max_tokens: model.startsWith('gemini') ? 300 : 10 }
}

async function fetchModels(channel: ProbedChannel, deps: ProbeDeps): Promise<readonly string[]> {
  const facts = factsOf(channel)
  if (facts.type.protocol === 'vertex') return named(await vertexModels(facts, deps))
  const answer = await getJson(facts, modelsAddress(facts), deps)
  const list = isObject(answer) ? answer['data'] : null
  if (!Array.isArray(list))
    throw new ProbeFailed('解析响应失败: 上游的响应中没有模型列表，请检查渠道类型和 API 地址')
  const ids = list.flatMap((model) =>
    isObject(model) && typeof model['id'] === 'string' ? [model['id']] : [],
  )
  return named(ids)
}

const named = (ids: readonly string[]): readonly string[] =>
  [...new Set(ids.map(nameIn).filter((id) => id !== ''))].slice(0, MODELS_MAX)

/** Twice as many as the largest marketplaces of models list. */
const MODELS_MAX = 10_000
/** As long as a channel's list takes them. */
const MODEL_NAME_MAX = 255
const nameIn = (id: string): string => foreignText(id.replace(/^models\//, ''), MODEL_NAME_MAX)

function factsOf(channel: ProbedChannel): ChannelFacts {
  const { key, proxy, terms } = channel
  // A channel that is still being filled in has no number yet; nothing here goes by it.
  const facts = channelFacts({ id: channel.id as ChannelId, terms, isEnabled: true, key, proxy })
  if (facts === null) throw new ProbeFailed(`渠道类型 ${terms.type} 不存在，请选择其他类型`)
  return facts
}

function failedUpstream(
  facts: ChannelFacts,
  error: UpstreamError,
  durationMs: number,
  deps: ProbeDeps,
): ProbeOutcome {
  const { upstreamStatus: status, code, type, message, bodyExcerpt } = error
  const failure = { channelType: facts.type.id, status, code, type, message }
  const banWorthy = status !== null && isBanWorthy(failure, deps.keywords())
  return { ...failed(durationMs, wordsForAdmins(error), status), bodyExcerpt, banWorthy }
}

const failed = (durationMs: number, error: string, status: number | null = null): ProbeOutcome => ({
  succeeded: false,
  durationMs,
  error,
  remark: '',
  upstreamStatus: status,
  bodyExcerpt: '',
  banWorthy: false,
  promptTokens: null,
  completionTokens: null,
})
