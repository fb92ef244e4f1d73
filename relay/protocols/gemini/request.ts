import { isObject, type JsonObject } from '../../json.ts'
import type { JsonScan, Member } from '../../json-scan.ts'
import { isRefusal, type Refusal } from '../../refusal.ts'
import { invalid, modelProblem, parseObject } from '../json-body.ts'
import { foldedKey } from '../json-members.ts'
import type { Endpoint, ModelRequest } from '../model-request.ts'
import { camelCase, memberOf, objectIn, objectsIn, snakeCase, textIn, wholeIn } from './names.ts'
import { ownedObjects } from './owned-objects.ts'
import { promptMedia, requestIn } from './prompt.ts'
import { unpricedTool } from '../provider-objects.ts'

/** Members that are read, edited or charged by. */
const KNOWN = [
  'contents',
  'content',
  'requests',
  'model',
  'systemInstruction',
  'generationConfig',
  'safetySettings',
  'tools',
  'toolConfig',
  'cachedContent',
  'serviceTier',
  'generateContentRequest',
] as const
const BY_FOLDED: ReadonlyMap<string, string> = new Map(
  KNOWN.flatMap((name) => [
    [foldedKey(name), name],
    [foldedKey(snakeCase(name)), name],
  ]),
)
/** Tools that cost nothing but their tokens, and searches, which have a price (domain/pricing/tool-price.ts). */
const PRICED_TOOLS: ReadonlySet<string> = new Set([
  'functionDeclarations',
  'googleSearch',
  'codeExecution',
  'urlContext',
  'computerUse',
])
/** Google's own limit. */
const CANDIDATES_MAX = 8
const MAX_TOKENS_MAX = 1_073_741_823

/** Reads a body that scanBody passed. The model is the address's; the body may repeat it. */
export function readGemini(
  endpoint: Endpoint,
  raw: Buffer,
  scan: JsonScan,
): ModelRequest | Refusal {
  const body = parseObject(raw)
  if (typeof body === 'string') return invalid(body, '')
  const model = endpoint.pathModel ?? ''
  const problem =
    modelProblem(model) ??
    wrongMember(scan.members) ??
    wrongModel(body, model) ??
    missing(body, endpoint) ??
    unserved(body)
  if (problem !== null) return problem
  const config = configIn(body)
  if (isRefusal(config)) return config
  const isEmbedding = endpoint.mode === 'embed-content'
  const tier = tierIn(body)
  const tools = toolsIn(body)
  const objects = ownedObjects(body)
  const { media, maxOutput, choices } = {
    media: promptMedia(body),
    maxOutput: wholeIn(config, 'maxOutputTokens'),
    choices: wholeIn(config, 'candidateCount') ?? 1,
  }
  if (choices < 1 || choices > CANDIDATES_MAX) {
    const text = `candidateCount must be a whole number from 1 to ${CANDIDATES_MAX}`
    return invalid(text, 'generationConfig.candidateCount')
  }
  if (maxOutput !== null && (maxOutput < 0 || maxOutput > MAX_TOKENS_MAX)) {
    const text = `maxOutputTokens must be a whole number from 0 to ${MAX_TOKENS_MAX}`
    return invalid(text, 'generationConfig.maxOutputTokens')
  }
  const level = textIn(objectIn(config, 'thinkingConfig'), 'thinkingLevel').toLowerCase()
  return {
    endpoint,
    model,
    raw,
    body,
    members: scan.members,
    firstRole: null,
    media,
    stream: endpoint.streams !== undefined,
    wantsUsage: true,
    maxOutput: isEmbedding ? 0 : maxOutput && maxOutput * choices,
    choices,
    reasoningEffort: LEVELS.has(level) ? level : null,
    searchContext: 'medium',
    audioFormat: 'pcm16',
    isSpokenWhole: endpoint.streams === undefined && asksForSpeech(config),
    group: null,
    fields: fieldsOf(body, config),
    searches: tools.includes('googleSearch') ? 1 : 0,
    providerObjects: [...objects, ...unpricedTools(tools)],
    ...(objects.includes('cachedContent') && { cachedBound: INPUT_TOKENS_MAX }),
    ...((tier === 'priority' || tier === 'flex') && { terms: { tier } }),
  }
}

/**
 * The input that models take (ai.google.dev/gemini-api/docs/models), and so the most that was cached before: its name
 * tells nothing of its size, and it costs as input with the first answer.
 */
const INPUT_TOKENS_MAX = 1_048_576

const LEVELS: ReadonlySet<string> = new Set(['minimal', 'low', 'medium', 'high'])

/** The fields that are edited for a channel. They are few, for they go from thread to thread. */
const fieldsOf = (body: JsonObject, generationConfig: JsonObject): JsonObject => ({
  generationConfig,
  safetySettings: objectsIn(memberOf(body, 'safetySettings')),
  namesModel: 'model' in body || 'requests' in body,
})

/** One spelling of each member, once, so that upstream reads the same member that is priced here. */
function wrongMember(members: readonly Member[]): Refusal | null {
  const seen = new Set<string>()
  for (const { key } of members) {
    const name = BY_FOLDED.get(foldedKey(key))
    if (name === undefined) continue
    if (key !== name && key !== snakeCase(name)) {
      return invalid(`the member ${JSON.stringify(key)} must be written as "${name}"`, name)
    }
    if (seen.has(name)) return invalid(`the member "${name}" must be given only once`, name)
    seen.add(name)
  }
  return null
}

function wrongModel(body: JsonObject, model: string): Refusal | null {
  const named = [body, objectIn(body, 'generateContentRequest'), ...objectsIn(body['requests'])]
  const isOther = named.some(
    (one) => 'model' in one && one['model'] !== model && one['model'] !== `models/${model}`,
  )
  return isOther ? invalid(`model must be "models/${model}", as in the address`, 'model') : null
}

function missing(body: JsonObject, { required, countsOnly }: Endpoint): Refusal | null {
  const within = countsOnly === true ? objectIn(body, 'generateContentRequest') : {}
  const given = objectsIn(body[required] ?? within[required])
  return given.length > 0 ? null : invalid(`${required} must be given and not be empty`, required)
}

/** The tier that a request asks for; its longer name is that of older SDKs. */
const tierIn = (body: JsonObject): string =>
  textIn(requestIn(body), 'serviceTier')
    .toLowerCase()
    .replace(/^service_tier_/, '')

const TIERS: ReadonlySet<string> = new Set(['', 'unspecified', 'standard', 'priority', 'flex'])

/** A Refusal of a tier without a price. */
function unserved(body: JsonObject): Refusal | null {
  if (TIERS.has(tierIn(body))) return null
  const text = 'serviceTier other than "standard", "priority" and "flex" is not priced here'
  return invalid(text, 'serviceTier')
}

const toolsIn = (body: JsonObject): readonly string[] =>
  objectsIn(requestIn(body)['tools']).flatMap((tool) => Object.keys(tool).map(camelCase))

/** Tools that have no price here: only channels that allow them are asked for them. */
const unpricedTools = (tools: readonly string[]): readonly string[] =>
  tools.filter((name) => !PRICED_TOOLS.has(name)).map(unpricedTool)

/** The configuration with each name in camel case. */
function configIn(body: JsonObject): JsonObject | Refusal {
  const config = memberOf(body, 'generationConfig') ?? {}
  if (!isObject(config)) return invalid('generationConfig must be an object', 'generationConfig')
  const members = new Map<string, unknown>()
  for (const [key, value] of Object.entries(config)) {
    const name = camelCase(key)
    if (members.has(name)) {
      return invalid(`generationConfig.${name} must be given only once`, 'generationConfig')
    }
    members.set(name, value)
  }
  return Object.fromEntries(members)
}

/** Whether the answer may be speech, which comes in one piece. */
const asksForSpeech = ({ responseModalities }: JsonObject): boolean =>
  Array.isArray(responseModalities) && responseModalities.includes('AUDIO')
