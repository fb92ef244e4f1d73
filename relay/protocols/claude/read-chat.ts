import { isObject, type JsonObject } from '../../json.ts'
import {
  type Block,
  type ChatRequest,
  type Effort,
  EFFORTS,
  type MediaSource,
  type Tool,
  type Turn,
  Untranslatable,
  unsearchable,
} from '../chat/chat-request.ts'
import {
  domainsIn,
  locationIn,
  searchBy,
  unreadMember,
  type WebSearch,
} from '../chat/web-search.ts'

/** Members that are read here, and those that say nothing of the answer. */
const READ: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'metadata',
  'cache_control',
  'context_management',
  'diagnostics',
  'output_format',
])
/** Values by which further members ask for nothing. */
const NEUTRAL: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['service_tier', ['auto', 'standard_only']],
  ['speed', ['standard']],
  ['inference_geo', ['global', 'not_available']],
])
/** Shares of the output that may be thought, up to which an effort is that low. */
const LOW_SHARE = 0.35
const MEDIUM_SHARE = 0.7

/**
 * Reads a body of messages in no protocol's words; throws an Untranslatable for contents that no other protocol has.
 */
export function readChat(body: JsonObject): ChatRequest {
  for (const [name, value] of Object.entries(body)) {
    if (READ.has(name) || value === null) continue
    if (NEUTRAL.get(name)?.includes(value) === true) continue
    throw new Untranslatable(name, `${name} has no counterpart at the provider of this model`)
  }
  refuseContextEdits(body['context_management'])
  const choice = body['tool_choice']
  const messages = listOf(body['messages']).filter(isObject)
  const config = { ...objectIn(body, 'output_config'), ...effortWithin(messages) }
  const { system, turns } = readMessages(messages)
  const tools = toolsAtEnd(listOf(body['tools']), messages)
  const [search] = tools.filter(isSearch).map(readSearch)
  return {
    system: [...readContent(body['system']), ...system],
    turns,
    tools: tools.filter((tool) => !isSearch(tool)).map(readTool),
    ...(search !== undefined && { search }),
    toolChoice: isObject(choice) ? readToolChoice(choice, search) : null,
    mayCallInParallel: !(isObject(choice) && choice['disable_parallel_tool_use'] === true),
    temperature: numberIn(body, 'temperature'),
    topP: numberIn(body, 'top_p'),
    topK: numberIn(body, 'top_k'),
    stop: listOf(body['stop_sequences']).filter((one) => typeof one === 'string'),
    maxOutput: numberIn(body, 'max_tokens'),
    effort: readEffort(objectIn(body, 'thinking'), config, numberIn(body, 'max_tokens')),
    seed: null,
    presencePenalty: null,
    frequencyPenalty: null,
    schema: readFormat(config) ?? readFormat({ format: body['output_format'] }),
    user: textIn(objectIn(body, 'metadata'), 'user_id'),
    stream: body['stream'] === true,
  }
}

/** Other providers are sent no thoughts of Claude's: to clear those asks for nothing. */
function refuseContextEdits(management: unknown): void {
  const edits = listOf(isObject(management) ? management['edits'] : [])
  const isNeutral = (edit: unknown): boolean =>
    isObject(edit) && /^clear_thinking_\d+$/.test(textIn(edit, 'type'))
  if (edits.every(isNeutral)) return
  const text = 'context_management has no counterpart at the provider of this model'
  throw new Untranslatable('context_management', text)
}

/**
 * The conversation. Claude Code puts messages of the role `system` into it. Those before the first answer join the
 * system prompt. Later ones keep their place, as a user's text in the tags by which Claude Code marks such texts:
 * many models take a system prompt at the beginning only, and a changed beginning is cached by none.
 */
function readMessages(messages: readonly JsonObject[]): Pick<ChatRequest, 'system' | 'turns'> {
  const system: Block[] = []
  const turns: { readonly role: Turn['role']; readonly blocks: Block[] }[] = []
  const add = (role: Turn['role'], blocks: readonly Block[]): void => {
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else turns.push({ role, blocks: [...blocks] })
  }
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  for (const [place, message] of messages.entries()) {
    const { role, content } = message
    if (role === 'user' || role === 'assistant') {
      add(role, readContent(content))
      continue
    }
    if (role !== 'system') throw untranslatable(`a message of the role ${JSON.stringify(role)}`)
    if (message['clear_at'] === 'next_user_message' && place < lastUser) continue
    const said = readContent(content)
    if (turns.every((turn) => turn.role === 'user')) system.push(...said)
    else if (said.length > 0) add('user', said.map(asReminder))
  }
  return { system, turns }
}

const asReminder = (block: Block): Block =>
  block.type === 'text'
    ? { ...block, text: `<system-reminder>\n${block.text}\n</system-reminder>` }
    : block

/** The effort that the last message of the system asks for; it stands over the request's. */
function effortWithin(messages: readonly JsonObject[]): JsonObject {
  const asked = messages.map((message) => objectIn(message, 'output_config')['effort'])
  const effort = asked.findLast((one) => typeof one === 'string')
  return effort === undefined ? {} : { effort }
}

/**
 * The tools that the model has behind the last message: messages of the system add some and take others away. A tool
 * whose loading was deferred is one of `tools` from the beginning here.
 */
function toolsAtEnd(declared: readonly unknown[], messages: readonly JsonObject[]): unknown[] {
  let tools = [...declared]
  const changes = messages
    .filter(({ role }) => role === 'system')
    .flatMap(({ content }) => listOf(content).filter(isObject))
    .filter(({ type }) => type === 'tool_addition' || type === 'tool_removal')
  for (const { type, tool } of changes) {
    const { type: kind, name, definition } = isObject(tool) ? tool : {}
    if (kind !== 'tool_reference' && !(kind === 'tool_definition' && isObject(definition))) {
      throw untranslatable(`a tool of the kind ${JSON.stringify(kind)}`)
    }
    const changed = isObject(definition) ? definition['name'] : name
    const isChanged = (one: unknown): boolean => isObject(one) && one['name'] === changed
    if (type === 'tool_removal') tools = tools.filter((one) => !isChanged(one))
    // One that was taken away comes back as it was declared; one that is there keeps its place.
    else if (!tools.some(isChanged)) tools = [...tools, definition ?? declared.find(isChanged)]
    else if (definition !== undefined) {
      tools = tools.map((one) => (isChanged(one) ? definition : one))
    }
  }
  return tools
}

function readContent(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [textOf(content)]
  return listOf(content).flatMap((block) => (isObject(block) ? readBlock(block) : []))
}

function readBlock(block: JsonObject): readonly Block[] {
  const { type, input } = block
  switch (type) {
    case 'text': {
      const text = textIn(block, 'text')
      return text === '' ? [] : [textOf(text)]
    }
    case 'image':
      return [{ type: 'media', kind: 'image', source: sourceOf(objectIn(block, 'source')) }]
    case 'document':
      return readDocument(block)
    case 'tool_use':
      return [
        {
          type: 'tool-call',
          id: textIn(block, 'id'),
          name: textIn(block, 'name'),
          input: isObject(input) ? input : {},
        },
      ]
    case 'tool_result':
      return [
        {
          type: 'tool-result',
          id: textIn(block, 'tool_use_id'),
          blocks: readContent(block['content']),
          ...(block['is_error'] === true && { isError: true }),
        },
      ]
    case 'thinking':
      return [
        {
          type: 'reasoning',
          text: textIn(block, 'thinking'),
          signature: textIn(block, 'signature'),
        },
      ]
    case 'redacted_thinking':
      return [{ type: 'redacted', data: textIn(block, 'data') }]
    case 'search_result':
      return readSearchResult(block)
    case 'tool_reference':
      return [textOf(textIn(block, 'tool_name'))]
    case 'connector_text':
      return [textOf(textIn(block, 'text'))]
    // The text after an earlier search of the web has its results.
    case 'server_tool_use':
      if (block['name'] === SEARCH_NAME) return []
      throw untranslatable(`a use of the tool ${JSON.stringify(block['name'])}`)
    case 'web_search_tool_result':
      return []
    // Changes of tools are read apart; where another model went on says nothing to the next.
    case 'tool_addition':
    case 'tool_removal':
    case 'fallback':
      return []
    default:
      throw untranslatable(`a block of the type ${JSON.stringify(type)}`)
  }
}

/** A result of the client's own search: its title and source, then its text. */
function readSearchResult(block: JsonObject): readonly Block[] {
  if (objectIn(block, 'citations')['enabled'] === true) {
    throw untranslatable('a search result to cite')
  }
  const heads = [textIn(block, 'title'), textIn(block, 'source')].filter((text) => text !== '')
  return [textOf(heads.join('\n')), ...readContent(block['content'])]
}

function readDocument(block: JsonObject): readonly Block[] {
  if (objectIn(block, 'citations')['enabled'] === true) throw untranslatable('a document to cite')
  const source = objectIn(block, 'source')
  if (source['type'] === 'text') return [textOf(textIn(source, 'data'))]
  if (source['type'] === 'content') return readContent(source['content'])
  const name = textIn(block, 'title')
  const named = name !== '' && { name }
  return [{ type: 'media', kind: 'document', source: sourceOf(source), ...named }]
}

function sourceOf(source: JsonObject): MediaSource {
  if (source['type'] === 'url') return { url: textIn(source, 'url') }
  if (source['type'] === 'base64') {
    return { mime: textIn(source, 'media_type'), base64: textIn(source, 'data') }
  }
  throw untranslatable('a file that is not in the request')
}

function readTool(tool: unknown): Tool {
  const type = isObject(tool) ? (tool['type'] ?? 'custom') : null
  if (!isObject(tool) || type !== 'custom') {
    const text = `a tool of the type ${JSON.stringify(type)} has no counterpart at this provider`
    throw new Untranslatable('tools', text)
  }
  return {
    name: textIn(tool, 'name'),
    description: textIn(tool, 'description'),
    schema: objectIn(tool, 'input_schema'),
    ...(tool['strict'] === true && { isStrict: true }),
  }
}

const SEARCH_NAME = 'web_search'
/** Anthropic's search of the web, in all its versions. */
const SEARCH_TYPE = /^web_search_\d{8}$/
const SEARCH_READ: ReadonlySet<string> = new Set([
  'type',
  'name',
  'max_uses',
  'allowed_domains',
  'blocked_domains',
  'user_location',
  'cache_control',
  'allowed_callers',
  'defer_loading',
  'strict',
])

const isSearch = (tool: unknown): tool is JsonObject =>
  isObject(tool) && SEARCH_TYPE.test(textIn(tool, 'type'))

function readSearch(tool: JsonObject): WebSearch {
  const other = unreadMember(tool, SEARCH_READ)
  if (other !== null) throw unsearchable({ param: 'tools' }, `${other} of a web search`)
  return {
    ...searchBy('tools'),
    maxUses: numberIn(tool, 'max_uses'),
    allowedDomains: domainsIn(tool['allowed_domains']),
    blockedDomains: domainsIn(tool['blocked_domains']),
    location: locationIn(tool['user_location']),
  }
}

function readToolChoice(
  choice: JsonObject,
  search: WebSearch | undefined,
): ChatRequest['toolChoice'] {
  const { type } = choice
  if (type === 'tool' && search !== undefined && choice['name'] === SEARCH_NAME) return 'search'
  if (type === 'auto' || type === 'none') return type
  if (type === 'any') return 'required'
  if (type === 'tool') return { name: textIn(choice, 'name') }
  throw new Untranslatable('tool_choice', 'this tool_choice has no counterpart at this provider')
}

/** The effort that is named, else the share of the output that may be thought. */
function readEffort(
  thinking: JsonObject,
  config: JsonObject,
  maxTokens: number | null,
): Effort | null {
  const named = EFFORTS.find((effort) => effort === config['effort'])
  if (thinking['type'] === 'disabled') return 'none'
  if (named !== undefined) return named
  if (thinking['type'] !== 'enabled') return null
  const share = (numberIn(thinking, 'budget_tokens') ?? 0) / (maxTokens ?? Number.POSITIVE_INFINITY)
  if (share <= LOW_SHARE) return 'low'
  return share <= MEDIUM_SHARE ? 'medium' : 'high'
}

function readFormat({ format }: JsonObject): JsonObject | null {
  if (!isObject(format)) return null
  const { type, schema } = format
  if (type === 'json_schema' && isObject(schema)) return schema
  throw new Untranslatable('output_config', 'this format has no counterpart at this provider')
}

const untranslatable = (what: string): Untranslatable =>
  new Untranslatable('messages', `${what} has no counterpart at the provider of this model`)

/** Caches are the other provider's own affair. */
const textOf = (text: string): Block => ({ type: 'text', text, cache: null })

function numberIn(object: JsonObject, name: string): number | null {
  const value = object[name] ?? null
  if (value === null || typeof value === 'number') return value
  throw new Untranslatable(name, `${name} must be a number`)
}

function textIn(object: JsonObject, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isObject(value) ? value : {}
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
