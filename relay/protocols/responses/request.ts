import { foreignText } from '@tollgate/domain/text.ts'
import type { SearchContext } from '@tollgate/domain/pricing/tool-price.ts'
import { isObject, type JsonObject } from '../../json.ts'
import type { JsonScan } from '../../json-scan.ts'
import { isRefusal, type Refusal } from '../../refusal.ts'
import { invalid, isWhole, readBody } from '../json-body.ts'
import type { Endpoint, ModelRequest } from '../model-request.ts'
import { unpricedTool } from '../provider-objects.ts'
import { searchesIn } from '../searches.ts'
import { tierProblem, tierTerms } from '../service-tier.ts'
import { itemsOf, partsOf, promptMedia, toolsOf } from './prompt.ts'
import { toolNames } from './tools.ts'

/** Responses as OpenAI's clients ask for them (platform.openai.com/docs/api-reference/responses/create). */
export const RESPONSES: Endpoint = {
  protocol: 'responses',
  path: '/v1/responses',
  mode: 'responses',
  required: 'input',
  isPlayground: false,
}

/**
 * How many tokens a prompt has, and a conversation made shorter for its next request
 * (developers.openai.com/api/reference/resources/responses).
 */
export const INPUT_TOKENS: Endpoint = {
  ...RESPONSES,
  path: '/v1/responses/input_tokens',
  countsOnly: true,
}
export const COMPACT: Endpoint = {
  ...RESPONSES,
  path: '/v1/responses/compact',
  isNativeOnly: true,
}

/** As for OpenAI's other limits: above it no model answers. */
const MAX_TOKENS_MAX = 1_073_741_823
/** No effort that any vendor knows is longer. */
const EFFORT_MAX = 20

const KNOWN = {
  fields: new Set([
    'model',
    'stream',
    'max_output_tokens',
    'background',
    'previous_response_id',
    'conversation',
    'prompt',
    'service_tier',
    'reasoning',
    'store',
  ]),
  prompt: new Set(['input', 'instructions', 'tools', 'text']),
}

/** A history that lies with the provider may be all that is to be counted or made shorter. */
const HISTORIES = ['previous_response_id', 'conversation']

const NO_STREAM = invalid('this is not streamed; leave stream out', 'stream')

/** Reads a body that scanBody passed. */
export function readResponses(
  endpoint: Endpoint,
  bytes: Buffer,
  scan: JsonScan,
): ModelRequest | Refusal {
  const isAnswered = endpoint.path === RESPONSES.path
  const known = isAnswered ? KNOWN : { ...KNOWN, instead: HISTORIES }
  const read = readBody(endpoint, bytes, scan, known)
  if (isRefusal(read)) return read
  if (read.stream && !isAnswered) return NO_STREAM
  const { body } = read
  const wrong = wrongMember(body)
  if (wrong !== null) return wrong
  const limit = body['max_output_tokens']
  const { reasoning, service_tier: tier } = body
  const effort = isObject(reasoning) ? reasoning['effort'] : null
  const names = toolNames(body)
  return {
    ...read,
    endpoint: Object.keys(names).length === 0 ? endpoint : { ...endpoint, toolNames: names },
    media: promptMedia(body),
    wantsUsage: true,
    maxOutput: typeof limit === 'number' ? limit : null,
    choices: 1,
    reasoningEffort: typeof effort === 'string' ? foreignText(effort, EFFORT_MAX) : null,
    searchContext: searchContext(body),
    audioFormat: '',
    isSpokenWhole: false,
    group: null,
    searches: searchesIn(toolsOf(body), body['max_tool_calls']),
    providerObjects: providerObjects(body),
    ...tierTerms(tier),
  }
}

function wrongMember(body: JsonObject): Refusal | null {
  const { input, background, service_tier: tier, previous_response_id: previous } = body
  const limit = body['max_output_tokens'] ?? null
  const isItems = Array.isArray(input) && input.every(isObject)
  if (typeof (input ?? '') !== 'string' && !isItems) {
    return invalid('input must be a text or a list of items, each an object', 'input')
  }
  if (limit !== null && !isWhole(limit, 1, MAX_TOKENS_MAX)) {
    const text = `max_output_tokens must be a whole number from 1 to ${MAX_TOKENS_MAX}`
    return invalid(text, 'max_output_tokens')
  }
  if (background !== undefined && background !== null && background !== false) {
    const text = 'background responses are not served here; leave background out and use stream'
    return invalid(text, 'background')
  }
  if (previous !== undefined && previous !== null && typeof previous !== 'string') {
    return invalid('previous_response_id must be the id of a response', 'previous_response_id')
  }
  return tierProblem(tier)
}

/** Tools that cost tokens alone, or whose calls have a price (domain/pricing/tool-price.ts). */
const PRICED_TOOLS =
  /^(?:function|custom|namespace|tool_search|mcp|local_shell|apply_patch|computer|computer_use_preview|web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?)$/

/**
 * Members that name an object that lies with the provider, where all of Tollgate's accounts are one, or whose use has
 * no price here: only channels that allow them get them. Each once.
 */
function providerObjects(body: JsonObject): readonly string[] {
  const found = new Set<string>()
  for (const name of ['conversation', 'prompt']) {
    if ((body[name] ?? null) !== null) found.add(name)
  }
  for (const item of itemsOf(body)) {
    const isReference = item['type'] === 'item_reference' || isBareReference(item)
    if (isReference && (body['previous_response_id'] ?? null) === null) found.add('item_reference')
    for (const part of partsOf(item)) if (isText(part['file_id'])) found.add('file_id')
  }
  for (const { type: said } of toolsOf(body).flatMap(withinNamespace)) {
    const type = String(said)
    if (type === 'file_search') found.add('vector_store_ids')
    else if (type === 'code_interpreter') found.add('container')
    else if (!PRICED_TOOLS.test(type)) found.add(unpricedTool(type))
  }
  return [...found]
}

/** A tool, or the tools of a namespace. */
function withinNamespace(tool: JsonObject): readonly JsonObject[] {
  const { type, tools } = tool
  return type === 'namespace' && Array.isArray(tools)
    ? tools.filter(isObject).flatMap(withinNamespace)
    : [tool]
}

/** An item that is nothing but its id. */
const isBareReference = (item: JsonObject): boolean =>
  isText(item['id']) && Object.keys(item).length === 1

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

function searchContext(body: JsonObject): SearchContext {
  const sizes = toolsOf(body).map((tool) => tool['search_context_size'])
  if (sizes.includes('high')) return 'high'
  return sizes.includes('low') && !sizes.includes('medium') ? 'low' : 'medium'
}
