import { isObject, type JsonObject } from '../../json.ts'
import {
  type Block,
  type ChatRequest,
  type Effort,
  EFFORTS,
  type MediaSource,
  type Turn,
  Untranslatable,
} from '../chat/chat-request.ts'
import { freeTextInput } from './free-text.ts'
import { itemsOf } from './prompt.ts'
import { openedThought } from './thoughts.ts'
import {
  namespaceTexts,
  readSearch,
  readToolChoice,
  readTools,
  sentNameOf,
  TOOL_SEARCH,
} from './tools.ts'

/** Members that are read here, and those that say nothing of the answer: storage, caches, books, tools of OpenAI's. */
const READ: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'max_output_tokens',
  'max_tool_calls',
  'temperature',
  'top_p',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'user',
  'safety_identifier',
  'store',
  'metadata',
  'client_metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
])
/** Values by which further members ask for nothing. */
const NEUTRAL: ReadonlyMap<string, readonly string[]> = new Map([
  ['background', ['false']],
  ['service_tier', ['"auto"', '"default"']],
  ['top_logprobs', ['0']],
  ['truncation', ['"disabled"']],
])

/** More of an answer that is there anyway, or of tools that are not used. */
const INCLUDED =
  /^(?:reasoning\.encrypted_content|(?:web_search|file_search|code_interpreter)_call\.)/

/**
 * Reads a body of responses in no protocol's words; throws an Untranslatable for contents that no other protocol has.
 */
export function readChat(body: JsonObject): ChatRequest {
  for (const [name, value] of Object.entries(body)) {
    if (READ.has(name) || value === null) continue
    if (NEUTRAL.get(name)?.includes(JSON.stringify(value)) === true) continue
    if (name === 'include' && listOf(value).every((one) => INCLUDED.test(String(one)))) continue
    throw new Untranslatable(name, `${name} has no counterpart at the provider of this model`)
  }
  const { instructions, reasoning, user } = body
  const said = typeof instructions === 'string' && instructions !== '' ? [textOf(instructions)] : []
  const { system, turns } = readItems(itemsOf(body))
  const search = readSearch(body)
  return {
    system: [...said, ...namespaceTexts(body).map(textOf), ...system],
    turns,
    tools: readTools(body),
    ...(search !== undefined && { search }),
    toolChoice: readToolChoice(body['tool_choice'] ?? null),
    mayCallInParallel: body['parallel_tool_calls'] !== false,
    temperature: numberIn(body, 'temperature'),
    topP: numberIn(body, 'top_p'),
    topK: null,
    stop: [],
    maxOutput: numberIn(body, 'max_output_tokens'),
    effort: readEffort(isObject(reasoning) ? (reasoning['effort'] ?? null) : null),
    seed: null,
    presencePenalty: null,
    frequencyPenalty: null,
    schema: readFormat(body['text'] ?? null),
    user: textIn(body, 'safety_identifier') || (typeof user === 'string' ? user : ''),
    stream: body['stream'] === true,
  }
}

function readItems(items: readonly JsonObject[]): Pick<ChatRequest, 'system' | 'turns'> {
  const system: Block[] = []
  const turns: { role: Turn['role']; blocks: Block[] }[] = []
  const add = (role: Turn['role'], blocks: readonly Block[]): void => {
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else if (blocks.length > 0) turns.push({ role, blocks: [...blocks] })
  }
  for (const item of items) {
    const { type = 'message', role } = item
    switch (type) {
      case 'message':
        if (role === 'system' || role === 'developer') system.push(...contentOf(item))
        else if (role === 'assistant' || role === 'user') add(role, contentOf(item))
        // One without a role is named by its id alone.
        else throw untranslatable(`a message of the role ${JSON.stringify(role ?? null)}`)
        break
      case 'reasoning':
        add('assistant', openedThought(item))
        break
      case 'function_call':
        add('assistant', [readCall(item)])
        break
      case 'custom_tool_call':
        add('assistant', [
          {
            type: 'tool-call',
            id: textIn(item, 'call_id'),
            name: sentNameOf(item),
            input: freeTextInput(textIn(item, 'input')),
          },
        ])
        break
      case 'function_call_output':
      case 'custom_tool_call_output':
        add('user', [
          {
            type: 'tool-result',
            id: textIn(item, 'call_id'),
            blocks: readContent(item['output']),
          },
        ])
        break
      case 'tool_search_call':
        if (isOfClient(item)) add('assistant', [readToolSearch(item)])
        break
      case 'tool_search_output':
        if (isOfClient(item)) add('user', [foundTools(item)])
        break
      case 'image_generation_call':
        add('assistant', [drawnPicture(item)])
        break
      // Its tools are read with those of the request; what a search of the web found is in the text after it.
      case 'additional_tools':
      case 'web_search_call':
        break
      default:
        throw untranslatable(`an item of the type ${JSON.stringify(type)}`)
    }
  }
  return { system, turns }
}

/** A search for tools that the client made, not its provider. */
const isOfClient = ({ execution }: JsonObject): boolean => execution === 'client'

function readToolSearch(item: JsonObject): Block {
  const { arguments: asked } = item
  const input = isObject(asked) ? asked : {}
  return { type: 'tool-call', id: textIn(item, 'call_id'), name: TOOL_SEARCH, input }
}

/** The names of the tools that a search found; they are among the tools of the request. */
function foundTools(item: JsonObject): Block {
  const names = readTools({ tools: item['tools'] }).map(({ name }) => name)
  const found = names.length === 0 ? 'No tools were found.' : `Found: ${names.join(', ')}`
  return { type: 'tool-result', id: textIn(item, 'call_id'), blocks: [textOf(found)] }
}

/** A picture that the model made, whose type its first bytes tell. */
function drawnPicture(item: JsonObject): Block {
  const base64 = textIn(item, 'result')
  const mime = PICTURE_TYPES.find(([start]) => base64.startsWith(start))?.[1]
  if (mime === undefined) throw untranslatable('an image_generation_call without a picture')
  return { type: 'media', kind: 'image', source: { mime, base64 } }
}

/** How files begin in base64. */
const PICTURE_TYPES = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
] as const

const contentOf = (message: JsonObject): readonly Block[] => readContent(message['content'])

function readContent(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [textOf(content)]
  return listOf(content).flatMap((part) => (isObject(part) ? readPart(part) : []))
}

function readPart(part: JsonObject): readonly Block[] {
  const { type } = part
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'refusal': {
      const text = textIn(part, type === 'refusal' ? 'refusal' : 'text')
      return text === '' ? [] : [textOf(text)]
    }
    case 'input_image':
      return [{ type: 'media', kind: 'image', source: sourceOf(part['image_url'], 'image/') }]
    case 'input_file': {
      const data = part['file_data'] ?? part['file_url']
      const name = textIn(part, 'filename')
      const source = sourceOf(data, 'application/pdf')
      return [{ type: 'media', kind: 'document', source, ...(name !== '' && { name }) }]
    }
    default:
      throw untranslatable(`a part of the type ${JSON.stringify(type)}`)
  }
}

/** A data URL, or an address that the provider fetches. */
function sourceOf(url: unknown, mimeStart: string): MediaSource {
  if (typeof url !== 'string') throw untranslatable('a file that is not in the request')
  if (/^https?:\/\//i.test(url)) return { url }
  const comma = url.indexOf(',')
  const [, mime = ''] = /^data:([\w.+/-]{1,100});base64$/.exec(url.slice(0, comma)) ?? []
  if (!mime.startsWith(mimeStart)) throw untranslatable(`a file that is not ${mimeStart} in base64`)
  return { mime, base64: url.slice(comma + 1) }
}

function readCall(item: JsonObject): Block {
  const input = parsed(textIn(item, 'arguments') || '{}')
  if (!isObject(input)) throw untranslatable('a tool call whose arguments are no JSON object')
  return { type: 'tool-call', id: textIn(item, 'call_id'), name: sentNameOf(item), input }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // The caller refuses it by name.
    return null
  }
}

function readEffort(effort: unknown): Effort | null {
  if (effort === null) return null
  const known = EFFORTS.find((one) => one === effort)
  if (known !== undefined) return known
  throw new Untranslatable('reasoning', `reasoning.effort must be one of ${EFFORTS.join(', ')}`)
}

function readFormat(text: unknown): ChatRequest['schema'] {
  if (!isObject(text)) return null
  const format = text['format'] ?? null
  if (format === null || (isObject(format) && format['type'] === 'text')) return null
  if (isObject(format) && format['type'] === 'json_object') return 'any'
  if (isObject(format) && format['type'] === 'json_schema' && isObject(format['schema'])) {
    return format['schema']
  }
  const why =
    'of text.format only text, json_object and json_schema have a counterpart at this provider'
  throw new Untranslatable('text', why)
}

const untranslatable = (what: string): Untranslatable =>
  new Untranslatable('input', `${what} has no counterpart at the provider of this model`)

const textOf = (text: string): Block => ({ type: 'text', text, cache: null })

function numberIn(body: JsonObject, name: string): number | null {
  const value = body[name] ?? null
  if (value === null || typeof value === 'number') return value
  throw new Untranslatable(name, `${name} must be a number`)
}

function textIn(object: JsonObject, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
