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
  contextOf,
  locationIn,
  searchBy,
  unreadMember,
  type WebSearch,
} from '../chat/web-search.ts'
import { signatureOf } from './call-signature.ts'

/** Members that are read here, and those that say nothing of the answer: OpenAI's own storage, caches and books. */
const READ: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'response_format',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'user',
  'safety_identifier',
  'group',
  'store',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'verbosity',
  'web_search_options',
])
/** Values by which further members ask for nothing. */
const NEUTRAL: ReadonlyMap<string, readonly string[]> = new Map([
  ['n', ['1']],
  ['logprobs', ['false']],
  ['top_logprobs', ['0']],
  ['logit_bias', ['{}']],
  ['modalities', ['["text"]']],
  ['service_tier', ['"auto"', '"default"']],
])

/**
 * Reads a body of chat completions in no protocol's words; throws an Untranslatable for contents that no other protocol
 * has.
 */
export function readChat(body: JsonObject): ChatRequest {
  for (const [name, value] of Object.entries(body)) {
    if (READ.has(name) || value === null) continue
    if (NEUTRAL.get(name)?.includes(JSON.stringify(value)) === true) continue
    if (name === 'modalities' && asksForPictures(value)) continue
    throw new Untranslatable(name, `${name} has no counterpart at the provider of this model`)
  }
  const { system, turns } = readMessages(listOf(body['messages']).filter(isObject))
  const { user, web_search_options: options } = body
  return {
    system,
    turns,
    tools: listOf(body['tools']).map(readTool),
    ...(isObject(options) && { search: readSearch(options) }),
    toolChoice: readToolChoice(body['tool_choice'] ?? null),
    mayCallInParallel: body['parallel_tool_calls'] !== false,
    temperature: numberIn(body, 'temperature'),
    topP: numberIn(body, 'top_p'),
    topK: numberIn(body, 'top_k'),
    stop: stopsOf(body['stop']),
    // The playground's word for no limit is 0.
    maxOutput: (numberIn(body, 'max_completion_tokens') ?? numberIn(body, 'max_tokens')) || null,
    effort: readEffort(body['reasoning_effort'] ?? null),
    seed: numberIn(body, 'seed'),
    presencePenalty: numberIn(body, 'presence_penalty') || null,
    frequencyPenalty: numberIn(body, 'frequency_penalty') || null,
    schema: readFormat(body['response_format'] ?? null),
    ...(asksForPictures(body['modalities']) && { mayDraw: true }),
    user: textIn(body, 'safety_identifier') || (typeof user === 'string' ? user : ''),
    stream: body['stream'] === true,
  }
}

/** As OpenRouter's clients ask for them (openrouter.ai/docs/guides/overview/multimodal/image-generation). */
const asksForPictures = (modalities: unknown): boolean =>
  Array.isArray(modalities) &&
  modalities.includes('image') &&
  modalities.every((one) => one === 'image' || one === 'text')

function readMessages(messages: readonly JsonObject[]): Pick<ChatRequest, 'system' | 'turns'> {
  const system: Block[] = []
  const turns: { role: Turn['role']; blocks: Block[] }[] = []
  const add = (role: Turn['role'], blocks: readonly Block[]): void => {
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else if (blocks.length > 0) turns.push({ role, blocks: [...blocks] })
  }
  for (const message of messages) {
    const { role } = message
    if (role !== 'tool' && textIn(message, 'name') !== '')
      throw untranslatable('a name of a message')
    switch (role) {
      case 'system':
      case 'developer':
        system.push(...readContent(message['content']))
        break
      case 'user':
        add('user', readContent(message['content']))
        break
      case 'assistant':
        add('assistant', readAssistant(message))
        break
      case 'tool':
        add('user', [
          {
            type: 'tool-result',
            id: textIn(message, 'tool_call_id'),
            blocks: readContent(message['content']),
          },
        ])
        break
      default:
        throw untranslatable(`a message of the role ${JSON.stringify(role)}`)
    }
  }
  return { system, turns }
}

function readAssistant(message: JsonObject): readonly Block[] {
  if (isObject(message['audio'])) throw untranslatable('audio of an assistant')
  if (isObject(message['function_call']))
    throw untranslatable('function_call, which tool_calls replaced')
  const refusal = textIn(message, 'refusal')
  return [
    ...listOf(message['reasoning_details']).flatMap(readReasoning),
    ...readContent(message['content']),
    ...(refusal === '' ? [] : [textOf(refusal, null)]),
    ...listOf(message['tool_calls']).map(readToolCall),
  ]
}

/** Thoughts as they were given out; one without its signature is of no use to its provider. */
function readReasoning(detail: unknown): readonly Block[] {
  if (!isObject(detail)) return []
  const data = textIn(detail, 'data')
  if (data !== '') return [{ type: 'redacted', data }]
  const signature = textIn(detail, 'signature')
  return signature === '' ? [] : [{ type: 'reasoning', text: textIn(detail, 'text'), signature }]
}

function readToolCall(call: unknown): Block {
  const called = isObject(call) && isObject(call['function']) ? call['function'] : null
  if (!isObject(call) || called === null) throw untranslatable('a tool call that is no function')
  const input = parsed(textIn(called, 'arguments') || '{}')
  if (!isObject(input)) throw untranslatable('a tool call whose arguments are no JSON object')
  const signature = signatureOf(call)
  return {
    type: 'tool-call',
    id: textIn(call, 'id'),
    name: textIn(called, 'name'),
    input,
    ...(signature !== '' && { signature }),
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // The caller refuses it by name.
    return null
  }
}

function readContent(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [textOf(content, null)]
  return listOf(content).flatMap((part) => (isObject(part) ? readPart(part) : []))
}

function readPart(part: JsonObject): readonly Block[] {
  const { type, image_url: image, file } = part
  switch (type) {
    case 'text':
    case 'refusal': {
      const text = textIn(part, type)
      const cache = part['cache_control']
      return text === '' ? [] : [textOf(text, isObject(cache) ? cache : null)]
    }
    case 'image_url': {
      const url = isObject(image) ? image['url'] : image
      return [{ type: 'media', kind: 'image', source: sourceOf(url, 'image/') }]
    }
    case 'file': {
      const { file_data: data = null, ...more } = isObject(file) ? file : {}
      const name = textIn(more, 'filename')
      const source = sourceOf(data, 'application/pdf')
      return [{ type: 'media', kind: 'document', source, ...(name !== '' && { name }) }]
    }
    case 'input_audio': {
      const audio = isObject(part['input_audio']) ? part['input_audio'] : {}
      const mime = `audio/${textIn(audio, 'format') || 'wav'}`
      return [{ type: 'media', kind: 'audio', source: { mime, base64: textIn(audio, 'data') } }]
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

function readTool(tool: unknown): Tool {
  const made = isObject(tool) && tool['type'] === 'function' ? tool['function'] : null
  if (!isObject(made)) {
    throw new Untranslatable(
      'tools',
      'a tool that is no function has no counterpart at this provider',
    )
  }
  const schema = made['parameters']
  return {
    name: textIn(made, 'name'),
    description: textIn(made, 'description'),
    schema: isObject(schema) ? schema : null,
  }
}

const SEARCH_READ: ReadonlySet<string> = new Set(['search_context_size', 'user_location'])

function readSearch(options: JsonObject): WebSearch {
  const search = searchBy('web_search_options')
  const other = unreadMember(options, SEARCH_READ)
  if (other !== null) throw unsearchable(search, `web_search_options.${other}`)
  const { search_context_size: size, user_location: location } = options
  return {
    ...search,
    location: locationIn(isObject(location) ? location['approximate'] : null),
    context: contextOf(size),
  }
}

function readToolChoice(choice: unknown): ChatRequest['toolChoice'] {
  if (choice === null || choice === 'auto' || choice === 'none' || choice === 'required')
    return choice
  const named = isObject(choice) && isObject(choice['function']) ? choice['function'] : null
  if (named !== null) return { name: textIn(named, 'name') }
  throw new Untranslatable('tool_choice', 'this tool_choice has no counterpart at this provider')
}

function readEffort(effort: unknown): Effort | null {
  if (effort === null) return null
  const known = EFFORTS.find((one) => one === effort)
  if (known !== undefined) return known
  throw new Untranslatable(
    'reasoning_effort',
    `reasoning_effort must be one of ${EFFORTS.join(', ')}`,
  )
}

function readFormat(format: unknown): ChatRequest['schema'] {
  if (format === null || (isObject(format) && format['type'] === 'text')) return null
  if (isObject(format) && format['type'] === 'json_object') return 'any'
  const named = isObject(format) ? format['json_schema'] : null
  if (isObject(named) && isObject(named['schema'])) return named['schema']
  const text =
    'of response_format only text, json_object and json_schema have a counterpart at this provider'
  throw new Untranslatable('response_format', text)
}

const untranslatable = (what: string): Untranslatable =>
  new Untranslatable('messages', `${what} has no counterpart at the provider of this model`)

const textOf = (text: string, cache: JsonObject | null): Block => ({ type: 'text', text, cache })

const stopsOf = (stop: unknown): readonly string[] =>
  (typeof stop === 'string' ? [stop] : listOf(stop)).filter((one) => typeof one === 'string')

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
