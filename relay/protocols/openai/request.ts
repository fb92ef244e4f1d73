import { foreignText, withoutControls } from '@tollgate/domain/text.ts'
import { isObject, type JsonObject } from '../../json.ts'
import type { Mode } from '../../channel-types.ts'
import {
  type BeyondBounds,
  type JsonBounds,
  type JsonScan,
  type Member,
  scanJson,
} from '../../json-scan.ts'
import { editMembers, foldedKey } from './json-members.ts'
import { withKnownMessageMembers } from './message-members.ts'
import { type PromptMedia, promptMedia } from './prompt-media.ts'
import { isRefusal, type Refusal, refusal } from '../../refusal.ts'

/** A relay address of the OpenAI protocol and what it asks for. */
export interface Endpoint {
  /** As sent upstream and as logged. */
  readonly path: '/v1/chat/completions' | '/v1/completions' | '/v1/embeddings'
  readonly mode: Mode
  /** The field without which there is nothing to answer. */
  readonly required: 'messages' | 'prompt' | 'input'
  /** The console's playground: its body names the group, which is Tollgate's and not upstream's. */
  readonly isPlayground: boolean
  /** The model where the address names it, which holds over the body's. */
  readonly pathModel?: string
}

export const CHAT: Endpoint = {
  path: '/v1/chat/completions',
  mode: 'chat',
  required: 'messages',
  isPlayground: false,
}
export const PLAYGROUND: Endpoint = { ...CHAT, isPlayground: true }
export const COMPLETIONS: Endpoint = {
  path: '/v1/completions',
  mode: 'completions',
  required: 'prompt',
  isPlayground: false,
}
export const EMBEDDINGS: Endpoint = {
  path: '/v1/embeddings',
  mode: 'embeddings',
  required: 'input',
  isPlayground: false,
}

/** What the pipeline needs to know of a request; everything else stays in its bytes and passes through untouched. */
export interface OpenAiRequest {
  readonly endpoint: Endpoint
  /** The client's own bytes; of the playground's, without members of messages that OpenAI does not know. */
  readonly raw: Buffer
  /** The members that are read, edited or charged by, without the prompt and its tools: always few and short. */
  readonly fields: JsonObject
  /** Everything; null for a long body, which was read in a thread: only a thread may read `raw` again. */
  readonly body: JsonObject | null
  /** Where the members stand in `raw`, and the role of the first message. */
  readonly members: readonly Member[]
  readonly firstRole: JsonScan['firstRole']
  readonly media: PromptMedia
  readonly model: string
  readonly stream: boolean
  /** The client asked for a usage chunk at the end of the stream. */
  readonly wantsUsage: boolean
  /** Output tokens that the client allows, over all choices; null when it set no limit. */
  readonly maxOutput: number | null
  readonly choices: number
  readonly reasoningEffort: string | null
}

/** Above it no model answers; kept from the system that clients know (relay-and-billing.md 4.2). */
const MAX_TOKENS_MAX = 1_073_741_823
/** As long as a channel's list takes them; each is repeated in every event, row and refusal. */
const MODEL_BYTES_MAX = 255
/** No effort that any vendor knows is longer. */
const EFFORT_MAX = 20
/** OpenAI's own limit on `n`. */
const CHOICES_MAX = 128

/** Members that make up the prompt, as long as clients like. */
const PROMPT_MEMBERS: ReadonlySet<string> = new Set(['messages', 'prompt', 'input', 'tools'])

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
  'audio',
  'modalities',
  'group',
])

/** Longer than any of them is; they are kept, copied and printed where a prompt's bytes are not. */
const FIELD_BYTES_MAX = 16 * 1024

/** Reads a request's bytes; refuses with 400 what no upstream could answer, naming the field. */
export function readRequest(endpoint: Endpoint, raw: Buffer): OpenAiRequest | Refusal {
  const scan = scanBody(raw)
  return isRefusal(scan) ? scan : readScanned(endpoint, raw, scan)
}

/** The same of bytes that scanBody has passed. */
export function readScanned(
  endpoint: Endpoint,
  raw: Buffer,
  scan: JsonScan,
): OpenAiRequest | Refusal {
  const body = parseObject(raw)
  if (typeof body === 'string') return invalid(body, '')
  const wrong = wrongMember(scan.members)
  if (wrong !== null) return wrong
  const { pathModel } = endpoint
  if (pathModel !== undefined && body['model'] !== pathModel) {
    return readRequest(endpoint, editMembers(raw, scan.members, new Map([['model', pathModel]])))
  }
  const model = body['model']
  if (typeof model !== 'string' || model.trim() === '') {
    return invalid('model must be the name of a model, such as "gpt-4o-mini"', 'model')
  }
  if (Buffer.byteLength(model) > MODEL_BYTES_MAX) {
    return invalid(`model must not be longer than ${MODEL_BYTES_MAX} bytes`, 'model')
  }
  // Prices, routes, charges and logs go by the name: one that cannot be stored as it is has none of them.
  if (withoutControls(model) !== model || !model.isWellFormed()) {
    return invalid('model must not contain control characters or halves of characters', 'model')
  }
  const stream = body['stream'] ?? false
  if (typeof stream !== 'boolean') return invalid('stream must be true or false', 'stream')
  if (isMissing(body[endpoint.required])) {
    return invalid(`${endpoint.required} must be given and not be empty`, endpoint.required)
  }
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
  const temperature = body['temperature'] ?? 0
  if (endpoint.isPlayground && !isPlayableTemperature(temperature)) {
    return invalid('temperature must be a number from 0.1 to 1, or 0', 'temperature')
  }
  const streamOptions = body['stream_options']
  const effort = body['reasoning_effort']
  const request: OpenAiRequest = {
    endpoint,
    raw,
    fields: Object.fromEntries(Object.entries(body).filter(([name]) => FIELDS.has(name))),
    body,
    members: scan.members,
    firstRole: scan.firstRole,
    media: promptMedia(body, endpoint.required),
    model,
    stream: stream && endpoint.mode !== 'embeddings',
    wantsUsage: isObject(streamOptions) && streamOptions['include_usage'] === true,
    maxOutput: endpoint.mode === 'embeddings' ? 0 : maxOutputOf(body),
    choices,
    reasoningEffort: typeof effort === 'string' ? foreignText(effort, EFFORT_MAX) : null,
  }
  return endpoint.isPlayground ? withoutUnknownMembers(request) : request
}

/** Consoles send what they keep of a message; its bytes go upstream without what OpenAI would refuse. */
function withoutUnknownMembers(request: OpenAiRequest): OpenAiRequest | Refusal {
  const raw = withKnownMessageMembers(request.raw)
  if (raw === request.raw) return request
  const scan = scanBody(raw)
  if (isRefusal(scan)) return scan
  return { ...request, raw, members: scan.members, firstRole: scan.firstRole }
}

/** The playground's slider goes from 0.1 to 1 and starts at 0 (seeds, playground). */
const isPlayableTemperature = (value: unknown): boolean =>
  value === 0 || (typeof value === 'number' && value >= 0.1 && value <= 1)

/**
 * Upstreams differ in which of two like members they take, and some match names without regard to case: what is priced
 * here must be the one thing that upstream can read.
 */
function wrongMember(members: readonly Member[]): Refusal | null {
  const seen = new Set<string>()
  for (const { key, start, end } of members) {
    const name = foldedKey(key)
    const isField = FIELDS.has(name)
    if (!isField && !PROMPT_MEMBERS.has(name)) continue
    if (key !== name) {
      return invalid(`the member ${shown(key)} must be written as "${name}"`, name)
    }
    if (seen.has(name)) return invalid(`the member "${name}" must be given only once`, name)
    seen.add(name)
    if (isField && end - start > FIELD_BYTES_MAX) {
      return invalid(`the member "${name}" must not be longer than ${FIELD_BYTES_MAX} bytes`, name)
    }
  }
  return null
}

const shown = (key: string): string => JSON.stringify(key.slice(0, 40))

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

/**
 * Ten times what long conversations with many tools have, and more token ids than any model takes in: each takes a
 * thousand times as long to parse as a byte of text.
 */
const BODY_BOUNDS: JsonBounds = {
  placesMax: 200_000,
  itemsMax: 1_000_000,
  depthMax: 500,
  membersMax: 1_000,
}

const BEYOND: Readonly<Record<BeyondBounds, string>> = {
  placesMax: `more than ${BODY_BOUNDS.placesMax} objects, lists and members`,
  itemsMax: `more than ${BODY_BOUNDS.itemsMax} items in lists`,
  depthMax: `objects and lists nested deeper than ${BODY_BOUNDS.depthMax}`,
  membersMax: `more than ${BODY_BOUNDS.membersMax} members`,
}

/** Goes over a body's bytes before anything parses them; a Refusal of one whose shape would take too long. */
export function scanBody(raw: Buffer): JsonScan | Refusal {
  const scan = scanJson(raw, BODY_BOUNDS)
  return typeof scan === 'string' ? invalid(`the body must not have ${BEYOND[scan]}`, '') : scan
}

function parseObject(raw: Buffer): JsonObject | string {
  let body: unknown
  try {
    body = JSON.parse(raw.toString('utf8'))
  } catch (error) {
    return `the body is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}`
  }
  return isObject(body) ? body : 'the body must be a JSON object'
}

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

const isMessageList = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((message) => isObject(message) && typeof message['role'] === 'string')

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

const invalid = (message: string, param: string): Refusal =>
  refusal(400, 'invalid_text_request', message, { param })
