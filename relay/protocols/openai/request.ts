import type { SearchContext } from '@tollgate/domain/pricing/tool-price.ts'
import { foreignText } from '@tollgate/domain/text.ts'
import { isObject, type JsonObject } from '../../json.ts'
import type { JsonScan } from '../../json-scan.ts'
import { audioFormat, mayBeSpoken } from '../../metering/audio-tokens.ts'
import { isRefusal, type Refusal } from '../../refusal.ts'
import { cacheWritesIn } from '../cache-writes.ts'
import { invalid, isWhole, readBody, scanBody } from '../json-body.ts'
import type { Endpoint, ModelRequest } from '../model-request.ts'
import { tierProblem, tierTerms } from '../service-tier.ts'
import { withKnownMessageMembers } from './message-members.ts'
import { cachedParts, namesStoredFile, promptMedia } from './prompt-media.ts'
import { PROVIDER_TOOL_MEMBERS, providerTools } from './provider-tools.ts'

export const CHAT: Endpoint = {
  protocol: 'openai',
  path: '/v1/chat/completions',
  mode: 'chat',
  required: 'messages',
  isPlayground: false,
}
export const PLAYGROUND: Endpoint = { ...CHAT, isPlayground: true }
export const COMPLETIONS: Endpoint = {
  protocol: 'openai',
  path: '/v1/completions',
  mode: 'completions',
  required: 'prompt',
  isPlayground: false,
}
/** Mistral's fill-in-the-middle: `prompt` and `suffix` asked, a chat completion answered (docs.mistral.ai/api). */
export const INFILL: Endpoint = {
  ...COMPLETIONS,
  path: '/v1/fim/completions',
  mode: 'infill',
}
export const EMBEDDINGS: Endpoint = {
  protocol: 'openai',
  path: '/v1/embeddings',
  mode: 'embeddings',
  required: 'input',
  isPlayground: false,
}

/** Above it no model answers; kept from the system that clients know (relay-and-billing.md 4.2). */
const MAX_TOKENS_MAX = 1_073_741_823
/** No effort that any vendor knows is longer. */
const EFFORT_MAX = 20
/** OpenAI's own limit on `n`. */
const CHOICES_MAX = 128

/** Members that make up the prompt, as long as clients like. */
const PROMPT_MEMBERS: ReadonlySet<string> = new Set([
  'messages',
  'prompt',
  'suffix',
  'input',
  'tools',
])

/** Further members that Tollgate reads, edits or charges by. */
const FIELDS: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'stream_options',
  'n',
  'best_of',
  'max_tokens',
  'max_completion_tokens',
  'reasoning_effort',
  'temperature',
  'top_p',
  'web_search_options',
  'service_tier',
  'audio',
  'modalities',
  'group',
  ...PROVIDER_TOOL_MEMBERS,
])

/** Reads a request's bytes; refuses with 400 a request that no upstream could answer, naming the field. */
export function readRequest(endpoint: Endpoint, raw: Buffer): ModelRequest | Refusal {
  const scan = scanBody(raw)
  return isRefusal(scan) ? scan : readScanned(endpoint, raw, scan)
}

/** The same of bytes that scanBody has passed. */
export function readScanned(
  endpoint: Endpoint,
  bytes: Buffer,
  scan: JsonScan,
): ModelRequest | Refusal {
  const read = readBody(endpoint, bytes, scan, { fields: FIELDS, prompt: PROMPT_MEMBERS })
  if (isRefusal(read)) return read
  const { body, fields, stream } = read
  if (endpoint.required === 'messages' && !isMessageList(body['messages'])) {
    return invalid('messages must be a list of objects, each with a role', 'messages')
  }
  const choices = body['n'] ?? 1
  if (!isWhole(choices, 1, CHOICES_MAX)) {
    return invalid(`n must be a whole number from 1 to ${CHOICES_MAX}`, 'n')
  }
  for (const field of ['max_tokens', 'max_completion_tokens'] as const) {
    const limit = body[field]
    if (limit !== undefined && limit !== null && !isWhole(limit, 0, MAX_TOKENS_MAX)) {
      return invalid(`${field} must be a whole number from 0 to ${MAX_TOKENS_MAX}`, field)
    }
  }
  const tier = body['service_tier']
  const tierRefused = tierProblem(tier)
  if (tierRefused !== null) return tierRefused
  const temperature = body['temperature'] ?? 0
  if (endpoint.isPlayground && !isPlayableTemperature(temperature)) {
    return invalid('temperature must be a number from 0.1 to 1, or 0', 'temperature')
  }
  const streamOptions = body['stream_options']
  const effort = body['reasoning_effort']
  const { group } = fields
  const isStream = stream && endpoint.mode !== 'embeddings'
  const isBase64 = body['encoding_format'] === 'base64'
  const asked: Endpoint =
    endpoint.mode === 'embeddings'
      ? { ...endpoint, vectors: { model: read.model, isBase64 } }
      : endpoint
  const owned = [...(namesStoredFile(body) ? ['file_id'] : []), ...providerTools(body)]
  const request: ModelRequest = {
    ...read,
    endpoint: asked,
    media: promptMedia(body, endpoint.required),
    stream: isStream,
    wantsUsage: isObject(streamOptions) && streamOptions['include_usage'] === true,
    maxOutput: endpoint.mode === 'embeddings' ? 0 : maxOutputOf(body),
    choices,
    reasoningEffort: typeof effort === 'string' ? foreignText(effort, EFFORT_MAX) : null,
    searchContext: searchContext(fields),
    audioFormat: audioFormat(fields),
    isSpokenWhole: !isStream && mayBeSpoken(fields),
    group: typeof group === 'string' && group !== '' ? group : null,
    ...tierTerms(tier),
    ...cacheWritesIn(cachedParts(body)),
    ...(owned.length > 0 && { providerObjects: owned }),
    ...(isObject(fields['web_search_options']) && { searches: 1 }),
  }
  return endpoint.isPlayground ? withoutUnknownMembers(request) : request
}

/** Consoles send their own members of a message; its bytes go upstream without those that OpenAI would refuse. */
function withoutUnknownMembers(request: ModelRequest): ModelRequest | Refusal {
  const raw = withKnownMessageMembers(request.raw)
  if (raw === request.raw) return request
  const scan = scanBody(raw)
  if (isRefusal(scan)) return scan
  return { ...request, raw, members: scan.members, firstRole: scan.firstRole }
}

/** The playground's slider goes from 0.1 to 1 and starts at 0 (seeds, playground). */
const isPlayableTemperature = (value: unknown): boolean =>
  value === 0 || (typeof value === 'number' && value >= 0.1 && value <= 1)

/** Output tokens that a body allows, over all its choices; null when it sets no limit. */
export function maxOutputOf(body: JsonObject): number | null {
  const limits = [body['max_tokens'], body['max_completion_tokens']].filter(
    (limit): limit is number => typeof limit === 'number' && limit > 0,
  )
  if (limits.length === 0) return null
  const counts = [body['n'], body['best_of']].map((count) =>
    isWhole(count, 1, CHOICES_MAX) ? count : 1,
  )
  return Math.max(...limits) * Math.max(...counts)
}

const isMessageList = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((message) => isObject(message) && typeof message['role'] === 'string')

function searchContext(fields: JsonObject): SearchContext {
  const options = fields['web_search_options']
  const size = isObject(options) ? options['search_context_size'] : null
  return size === 'low' || size === 'high' ? size : 'medium'
}
