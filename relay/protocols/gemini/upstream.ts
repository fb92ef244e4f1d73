import type { ChannelFacts, GeminiSettings } from '../../directory/facts.ts'
import { readUsage } from '../../metering/openai-usage.ts'
import {
  errorInAnswer,
  untranslatableError,
  type UpstreamError,
  upstreamError,
} from '../../upstream/errors.ts'
import { isObject, type JsonObject } from '../../json.ts'
import { editMembers } from '../json-members.ts'
import { type AccountThoughts, keepingThoughts } from '../chat/kept-thought.ts'
import { writerFor } from '../chat-clients.ts'
import type { Endpoint, ModelRequest } from '../model-request.ts'
import { notTranslated } from '../not-translated.ts'
import { refusedObject } from '../provider-objects.ts'
import { isUnusable } from '../send.ts'
import type { GeminiTerms, TranslatedRequest, VectorsShape } from '../translation.ts'
import { translateWithThoughts } from '../translate-with-thoughts.ts'
import type { Outgoing, OutgoingOptions, UpstreamProtocol } from '../upstream-protocol.ts'
import { namedError } from './errors.ts'
import { type FrameAnswer, ListedFrames, PassedEvents } from './frame-answers.ts'
import { objectsIn, snakeCase } from './names.ts'
import { adaptedConfig, outputLimit, withSafety } from './settings.ts'
import { simulatedStream } from './simulated-stream.ts'
import { GeminiStream } from './stream.ts'
import { translateGemini } from './translate.ts'
import { TranslatedFrames } from './translated-frames.ts'
import { readCount, readWholeAnswer } from './whole-reply.ts'

/** Google's Gemini API, for its clients: bytes pass, and only necessary changes are made. */
export const geminiUpstream: UpstreamProtocol = {
  name: 'gemini',
  outgoing(request, channel, options) {
    const { protocol, mode } = request.endpoint
    if (protocol === 'gemini') return passed(request, channel, options)
    return mode === 'embeddings'
      ? vectorsOutgoing(request, channel, options, 'batch')
      : translated(request, channel, options)
  },
  headers: () => ({}),
  learnsFrom: async () => false,
  passage: (request, { key }, now, { thoughts }) =>
    new GeminiStream(key, frameAnswer(request, now, thoughts)),
  readWhole: readWholeAnswer,
  simulatedStream,
  readCount,
  usageOf: (report) => readUsage(report, []),
  errorOf: (status, _headers, body, key) => namedError(upstreamError(status, body, key)),
  errorIn: (answer, key) => namedError(errorInAnswer(answer, key)),
}

function frameAnswer(request: ModelRequest, now: number, thoughts: AccountThoughts): FrameAnswer {
  const { protocol, streams } = request.endpoint
  if (protocol !== 'gemini' || !request.stream) {
    const writer = writerFor(request, Math.floor(now / 1_000))
    return new TranslatedFrames(keepingThoughts(writer, 'gemini', thoughts), now)
  }
  return streams === 'list' ? new ListedFrames() : new PassedEvents()
}

function passed(
  request: ModelRequest,
  channel: ChannelFacts,
  { passThrough, gemini }: OutgoingOptions,
): Outgoing | UpstreamError {
  const refused = refusedObject(request, channel, memberOfObject)
  if (refused !== null) return refused
  const { raw, model, members, maxOutput, endpoint } = request
  const asked = passThrough ? model : (channel.modelMapping.get(model) ?? model)
  const adapted = adaptedConfig(asked, configOf(request), gemini)
  const named = passThrough ? model : adapted.model
  const base = {
    model: named,
    reasoningEffort: request.reasoningEffort,
    asksForUsage: false,
    path: pathOf(endpoint, { method: methodOf(endpoint), model: named }, channel, gemini),
  }
  const own = renamed(request, named)
  if (isUnusable(own)) return own
  if (passThrough) return { ...base, body: raw, maxOutput }
  const edits = new Map<string, unknown>(own)
  if (endpoint.mode === 'generate-content' && endpoint.countsOnly !== true) {
    if (adapted.config !== null) edits.set('generationConfig', adapted.config)
    const safety = withSafety(objectsIn(request.fields['safetySettings']), gemini)
    if (safety !== null) edits.set('safetySettings', safety)
    for (const edit of Object.entries(channel.paramOverride ?? {})) edits.set(...edit)
  } else if (endpoint.countsOnly === true) {
    for (const [name, value] of Object.entries(channel.paramOverride ?? {}))
      if (value === undefined) edits.set(name, value)
  }
  const config = edits.get('generationConfig')
  return {
    ...base,
    body: edits.size === 0 ? raw : editMembers(raw, members, withSnakes(edits)),
    maxOutput: isObject(config) ? outputLimit(config) : maxOutput,
  }
}

const memberOfObject = (what: string): string => (what === 'fileData' ? 'contents' : what)

const configOf = ({ fields }: ModelRequest): JsonObject => {
  const config = fields['generationConfig']
  return isObject(config) ? config : {}
}

/** The other spelling of a member goes where the one is set. */
const withSnakes = (edits: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> =>
  new Map(
    [...edits].flatMap(([name, value]) =>
      snakeCase(name) === name
        ? [[name, value] as const]
        : [[snakeCase(name), undefined] as const, [name, value] as const],
    ),
  )

const methodOf = ({ path }: Endpoint): string => path.slice(path.lastIndexOf(':') + 1)

/** The address: the version that the client needs, or the operator's for the model. */
function pathOf(
  { version }: Endpoint,
  { method, model }: { readonly method: string; readonly model: string },
  { terms }: ChannelFacts,
  { versions }: GeminiSettings,
): string {
  const usual = terms.other || versions.get(model) || versions.get('default') || 'v1beta'
  const named = model.split('/').map(encodeURIComponent).join('/')
  const query = method === 'streamGenerateContent' ? '?alt=sse' : ''
  return `/${version === 'v1alpha' ? version : usual}/models/${named}:${method}${query}`
}

/** A request of another protocol's clients: nothing of it can be passed through as it is. */
function translated(
  { endpoint, raw, body, model, stream, reasoningEffort }: ModelRequest,
  channel: ChannelFacts,
  { gemini, translateLong, thoughts }: OutgoingOptions,
): Outgoing | UpstreamError | Promise<Outgoing | UpstreamError> {
  const mapped = channel.modelMapping.get(model) ?? model
  const terms: GeminiTerms = {
    into: 'gemini',
    from: endpoint.protocol,
    vectors: null,
    model: mapped,
    settings: gemini,
    override: channel.paramOverride ?? {},
    ...(channel.type.protocol === 'vertex' && { excludesDomains: true }),
  }
  const named = adaptedConfig(mapped, {}, gemini).model
  const method = stream ? 'streamGenerateContent' : 'generateContent'
  const read = (answer: TranslatedRequest): Outgoing | UpstreamError => {
    if (answer.status !== 'translated') return notTranslated(answer)
    return {
      body: Buffer.from(answer.json),
      model: named,
      reasoningEffort,
      maxOutput: answer.maxTokens,
      asksForUsage: false,
      path: pathOf(endpoint, { method, model: named }, channel, gemini),
    }
  }
  const answer = translateWithThoughts(terms, thoughts, (by) =>
    body === null ? translateLong(raw, by) : translateGemini(body, by),
  )
  return answer instanceof Promise ? answer.then(read) : read(answer)
}

const VECTORS_METHOD = {
  batch: 'batchEmbedContents',
  predict: 'predict',
  single: 'embedContent',
} as const

/** A question for vectors in other words than the client's. */
export function vectorsOutgoing(
  { endpoint, raw, body, model }: ModelRequest,
  channel: ChannelFacts,
  { gemini, translateLong }: OutgoingOptions,
  vectors: VectorsShape,
): Outgoing | UpstreamError | Promise<Outgoing | UpstreamError> {
  const named = channel.modelMapping.get(model) ?? model
  const terms: GeminiTerms = {
    into: 'gemini',
    from: endpoint.protocol,
    vectors,
    model: named,
    settings: gemini,
    override: channel.paramOverride ?? {},
  }
  const read = (answer: TranslatedRequest): Outgoing | UpstreamError => {
    if (answer.status !== 'translated') return notTranslated(answer)
    return {
      body: Buffer.from(answer.json),
      model: named,
      reasoningEffort: null,
      maxOutput: 0,
      asksForUsage: false,
      path: pathOf(endpoint, { method: VECTORS_METHOD[vectors], model: named }, channel, gemini),
    }
  }
  return body === null ? translateLong(raw, terms).then(read) : read(translateGemini(body, terms))
}

/** A body that repeats its model says the one that upstream knows. */
function renamed(
  { body, fields, model }: ModelRequest,
  named: string,
): ReadonlyMap<string, unknown> | UpstreamError {
  if (named === model || fields['namesModel'] !== true) return new Map()
  if (body === null) {
    return untranslatableError('requests', 'a long batch cannot be sent under another model name')
  }
  const edits = new Map<string, unknown>()
  if ('model' in body) edits.set('model', `models/${named}`)
  if ('requests' in body) {
    const requests = objectsIn(body['requests'])
    edits.set(
      'requests',
      requests.map((one) => ({ ...one, model: `models/${named}` })),
    )
  }
  return edits
}
