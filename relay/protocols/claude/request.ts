import { foreignText } from '@tollgate/domain/text.ts'
import { isObject, type JsonObject } from '../../json.ts'
import type { JsonScan } from '../../json-scan.ts'
import { isRefusal, type Refusal } from '../../refusal.ts'
import { cacheWritesIn } from '../cache-writes.ts'
import { invalid, isWhole, readBody } from '../json-body.ts'
import type { Endpoint, ModelRequest } from '../model-request.ts'
import { unpricedTool } from '../provider-objects.ts'
import { searchesIn } from '../searches.ts'
import { cachedParts, namesStoredFile, promptMedia, toolsOf } from './prompt.ts'

/** Chat as Anthropic's clients ask for it (platform.claude.com/docs/en/api/messages). */
export const MESSAGES: Endpoint = {
  protocol: 'claude',
  path: '/v1/messages',
  mode: 'messages',
  required: 'messages',
  isPlayground: false,
}

/** How many tokens a prompt has. */
export const COUNT_TOKENS: Endpoint = {
  ...MESSAGES,
  path: '/v1/messages/count_tokens',
  countsOnly: true,
}

/** As for OpenAI's limits: above it no model answers. */
const MAX_TOKENS_MAX = 1_073_741_823
/** No effort that any vendor knows is longer. */
const EFFORT_MAX = 20

const KNOWN = {
  fields: new Set([
    'model',
    'stream',
    'max_tokens',
    'speed',
    'inference_geo',
    'container',
    'thread',
  ]),
  prompt: new Set([
    'messages',
    'system',
    'tools',
    'output_config',
    'compaction',
    'context_management',
    'fallbacks',
  ]),
}

/** Reads a body that scanBody passed. */
export function readMessages(
  endpoint: Endpoint,
  bytes: Buffer,
  scan: JsonScan,
): ModelRequest | Refusal {
  const read = readBody(endpoint, bytes, scan, KNOWN)
  if (isRefusal(read)) return read
  const { body } = read
  const { messages } = body
  const isList = Array.isArray(messages) && messages.every((one) => isObject(one) && isRole(one))
  if (!isList) return invalid('messages must be a list of objects, each with a role', 'messages')
  const limit = body['max_tokens'] ?? null
  if (limit !== null && !isWhole(limit, 0, MAX_TOKENS_MAX)) {
    return invalid(`max_tokens must be a whole number from 0 to ${MAX_TOKENS_MAX}`, 'max_tokens')
  }
  const unpriced = unpricedMember(body)
  if (unpriced !== null) return unpriced
  const media = promptMedia(body)
  const config = body['output_config']
  const effort = isObject(config) ? config['effort'] : null
  return {
    ...read,
    endpoint,
    media,
    wantsUsage: true,
    maxOutput: limit,
    choices: 1,
    reasoningEffort: typeof effort === 'string' ? foreignText(effort, EFFORT_MAX) : null,
    searchContext: 'medium',
    audioFormat: '',
    isSpokenWhole: false,
    group: null,
    searches: searchesIn(toolsOf(body), null),
    providerObjects: providerObjects(body),
    ...cacheWritesIn(cachedParts(body)),
    ...readAgain(body, Math.max(1, bytes.length - media.bytes) + media.tokens),
    ...termsIn(body),
  }
}

/** Members that name what lies with the provider, or let another model answer at its own price. */
const OWNED = ['container', 'thread', 'fallbacks'] as const

/** Objects that lie with the provider, and its tools and models that have no price here. */
const providerObjects = (body: JsonObject): readonly string[] => [
  ...(namesStoredFile(body) ? ['file_id'] : []),
  ...OWNED.filter((name) => (body[name] ?? null) !== null),
  ...toolsOf(body)
    .map(({ type }) => String(type))
    .filter((type) => UNPRICED_TOOL.test(type))
    .map(unpricedTool),
]

/** Whether the conversation may be read a second time, to be summarised: at most all of it, and that is billed, too. */
const compacts = ({ context_management: management }: JsonObject): boolean =>
  isObject(management) &&
  listOf(management['edits']).some(
    (edit) => isObject(edit) && String(edit['type']).startsWith('compact'),
  )

/** Models beside the requested one that may be asked, each with the whole conversation, once those before declined. */
const fallbacksIn = ({ fallbacks }: JsonObject): number =>
  fallbacks === 'default' ? 1 : Math.min(FALLBACKS_MAX, listOf(fallbacks).length)
/** Anthropic refuses longer lists (platform.claude.com/docs/en/build-with-claude/refusals-and-fallback). */
const FALLBACKS_MAX = 3

/** Bounds on a conversation of so many tokens beyond one reading and one answer. */
function readAgain(
  body: JsonObject,
  tokens: number,
): Pick<ModelRequest, 'cachedBound' | 'attempts'> {
  const fallbacks = fallbacksIn(body)
  const readings = fallbacks + (compacts(body) ? 1 : 0)
  return {
    ...(readings > 0 && { cachedBound: readings * tokens }),
    ...(fallbacks > 0 && { attempts: 1 + fallbacks }),
  }
}

const isRole = (message: JsonObject): boolean => typeof message['role'] === 'string'

/** Terms that change the provider's price. */
function termsIn({ speed, inference_geo: region }: JsonObject): Pick<ModelRequest, 'terms'> {
  const geo = !isOneOf(region, ANYWHERE)
  if (speed !== 'fast' && !geo) return {}
  return {
    terms: { ...(speed === 'fast' && { fast: true as const }), ...(geo && { geo: true as const }) },
  }
}
const ANYWHERE: readonly string[] = ['global', 'not_available']

/** The refusal of a member that makes the provider's price another than the one that is charged here. */
function unpricedMember(body: JsonObject): Refusal | null {
  const { speed, inference_geo: region } = body
  if (!isOneOf(speed, ['standard', 'fast'])) {
    return invalid('speed other than "standard" and "fast" is not priced here', 'speed')
  }
  if (!isOneOf(region, [...ANYWHERE, 'us', 'eu'])) {
    const text = 'inference_geo other than "global", "us" and "eu" is not priced here'
    return invalid(text, 'inference_geo')
  }
  return null
}

const isOneOf = (value: unknown, known: readonly string[]): boolean =>
  value === undefined || value === null || known.some((name) => name === value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Server tools whose use has no price here, in all their versions; searches have one. */
const UNPRICED_TOOL = /^(?:code_execution|advisor)_/
