import { isObject, type JsonObject } from '../../json.ts'
import {
  type Block,
  type ChatRequest,
  type Effort,
  EFFORTS,
  type Tool,
  type Turn,
  Untranslatable,
  unsearchable,
} from '../chat/chat-request.ts'
import { domainsIn, searchBy, unreadMember, type WebSearch } from '../chat/web-search.ts'
import { jsonSchema } from './json-schema.ts'
import { camelCase, memberOf, objectIn, objectsIn, textIn, wholeIn } from './names.ts'
import { isOwnedFile } from './owned-objects.ts'
import { LOW_BUDGET, MEDIUM_BUDGET } from './thinking.ts'
import { REDACTED } from './write-parts.ts'

/** Members that are read here, and those that are Google's own affair. */
const READ: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'systemInstruction',
  'generationConfig',
  'tools',
  'toolConfig',
  'safetySettings',
  'labels',
])
const CONFIG_READ: ReadonlySet<string> = new Set([
  'temperature',
  'topP',
  'topK',
  'maxOutputTokens',
  'stopSequences',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
])
/** Values by which further members ask for nothing. */
const NEUTRAL: ReadonlyMap<string, readonly string[]> = new Map([
  ['candidateCount', ['1', '"1"']],
  ['responseLogprobs', ['false']],
  ['responseModalities', ['["TEXT"]', '[]']],
  ['serviceTier', ['"standard"', '"unspecified"', '"SERVICE_TIER_STANDARD"']],
])

/**
 * Reads a body of contents in no protocol's words; throws an Untranslatable for contents that no other protocol has.
 */
export function readChat(body: JsonObject): ChatRequest {
  refuseUnknown(body, '', READ)
  const config = objectIn(body, 'generationConfig')
  refuseUnknown(config, 'generationConfig.', CONFIG_READ)
  const stop = memberOf(config, 'stopSequences')
  const [search] = objectsIn(body['tools']).flatMap(readSearch)
  return {
    system: objectsIn(memberOf(body, 'systemInstruction')).flatMap((content) =>
      objectsIn(content['parts']).map(readInstruction),
    ),
    turns: new TurnReader().turns(objectsIn(body['contents'])),
    tools: objectsIn(body['tools']).flatMap(readTools),
    ...(search !== undefined && { search }),
    toolChoice: readChoice(objectIn(objectIn(body, 'toolConfig'), 'functionCallingConfig')),
    mayCallInParallel: true,
    temperature: numberIn(config, 'temperature'),
    topP: numberIn(config, 'topP'),
    topK: numberIn(config, 'topK'),
    stop: (Array.isArray(stop) ? stop : []).filter((one) => typeof one === 'string'),
    maxOutput: wholeIn(config, 'maxOutputTokens'),
    effort: readEffort(objectIn(config, 'thinkingConfig')),
    seed: numberIn(config, 'seed'),
    presencePenalty: numberIn(config, 'presencePenalty') || null,
    frequencyPenalty: numberIn(config, 'frequencyPenalty') || null,
    schema: readSchema(config),
    user: '',
    // By the address, which the body does not tell.
    stream: false,
  }
}

function readInstruction(part: JsonObject): Block {
  if (typeof part['text'] === 'string') return textOf(part['text'])
  const text = 'a part of systemInstruction that is no text has no counterpart at this provider'
  throw new Untranslatable('systemInstruction', text)
}

function refuseUnknown(object: JsonObject, before: string, known: ReadonlySet<string>): void {
  for (const [key, value] of Object.entries(object)) {
    const name = camelCase(key)
    if (known.has(name) || value === null) continue
    if (NEUTRAL.get(name)?.includes(JSON.stringify(value)) === true) continue
    const text = `${before}${name} has no counterpart at the provider of this model`
    throw new Untranslatable(before + name, text)
  }
}

/** Reads contents as turns. Calls without an id get one, and results of a function the id of its first open call. */
class TurnReader {
  readonly #open: { readonly id: string; readonly name: string }[] = []
  #calls = 0

  turns(contents: readonly JsonObject[]): readonly Turn[] {
    const turns: { role: Turn['role']; blocks: Block[] }[] = []
    for (const content of contents) {
      const role = content['role'] === 'model' ? 'assistant' : 'user'
      const blocks = objectsIn(content['parts']).flatMap((part) => this.#block(part))
      const last = turns.at(-1)
      if (last?.role === role) last.blocks.push(...blocks)
      else if (blocks.length > 0) turns.push({ role, blocks })
    }
    return turns.map(({ role, blocks }) => ({ role, blocks: joined(blocks) }))
  }

  #block(part: JsonObject): readonly Block[] {
    const signature = standard(textIn(part, 'thoughtSignature'))
    if (part['thought'] === true) {
      if (signature.startsWith(REDACTED)) {
        return [{ type: 'redacted', data: signature.slice(REDACTED.length) }]
      }
      return [{ type: 'reasoning', text: textIn(part, 'text'), signature }]
    }
    if (memberOf(part, 'functionCall') !== undefined) {
      return [this.#call(objectIn(part, 'functionCall'), signature)]
    }
    if (memberOf(part, 'functionResponse') !== undefined) {
      return [this.#result(objectIn(part, 'functionResponse'))]
    }
    const text = textIn(part, 'text')
    if (text !== '') return [textOf(text)]
    return typeof part['text'] === 'string' ? [] : [readMedia(part)]
  }

  #call(call: JsonObject, signature: string): Block {
    this.#calls += 1
    const id = textIn(call, 'id') || `call_${this.#calls}`
    const name = textIn(call, 'name')
    this.#open.push({ id, name })
    const input = objectIn(call, 'args')
    return { type: 'tool-call', id, name, input, ...(signature !== '' && { signature }) }
  }

  #result(result: JsonObject): Block {
    const name = textIn(result, 'name')
    const named = textIn(result, 'id')
    const place = this.#open.findIndex((call) =>
      named === '' ? call.name === name : call.id === named,
    )
    const [call] = place === -1 ? [] : this.#open.splice(place, 1)
    const id = named || call?.id
    if (id === undefined) throw untranslatable('a result of a function that was not called')
    const media = objectsIn(result['parts']).map(readMedia)
    const { response } = result
    return {
      type: 'tool-result',
      id,
      blocks: [textOf(said(response)), ...media],
      ...(isFailure(response) && { isError: true }),
    }
  }
}

/** A thought comes in pieces; its signature with the last. */
function joined(blocks: readonly Block[]): readonly Block[] {
  const made: Block[] = []
  for (const block of blocks) {
    const last = made.at(-1)
    if (block.type === 'reasoning' && last?.type === 'reasoning' && last.signature === '') {
      made[made.length - 1] = { ...block, text: last.text + block.text }
    } else made.push(block)
  }
  return made
}

/** A function's answer: its one text, or JSON. */
function said(response: unknown): string {
  if (!isObject(response)) return ''
  const [[name, value] = ['', null], ...more] = Object.entries(response)
  const isText = more.length === 0 && (name === 'result' || name === 'output')
  return isText && typeof value === 'string' ? value : JSON.stringify(response)
}

/** Nothing but what went wrong (ai.google.dev/api/caching, FunctionResponse). */
const isFailure = (response: unknown): boolean =>
  isObject(response) && 'error' in response && Object.keys(response).length === 1

function readMedia(part: JsonObject): Block {
  if (isOwnedFile(part)) throw untranslatable('a file that lies with Google')
  const inline = objectIn(part, 'inlineData')
  const file = objectIn(part, 'fileData')
  const mime = textIn(inline, 'mimeType') || textIn(file, 'mimeType')
  const kind = KINDS.find(([start]) => mime.startsWith(start))?.[1]
  if (kind === undefined)
    throw untranslatable(`a part of the type ${JSON.stringify(mime || 'unknown')}`)
  const url = textIn(file, 'fileUri')
  const source = url === '' ? { mime, base64: standard(textIn(inline, 'data')) } : { url }
  return { type: 'media', kind, source }
}

/** Base64 in the alphabet that other providers read: Google reads two, and its Python SDK writes the one for addresses. */
const standard = (base64: string): string => base64.replaceAll('-', '+').replaceAll('_', '/')

const KINDS = [
  ['image/', 'image'],
  ['audio/', 'audio'],
  ['application/pdf', 'document'],
] as const

function readTools(tool: JsonObject): readonly Tool[] {
  const other = Object.keys(tool).find((name) => !TOOLS_READ.has(camelCase(name)))
  if (other !== undefined) {
    throw new Untranslatable('tools', `the tool ${other} has no counterpart at this provider`)
  }
  return objectsIn(memberOf(tool, 'functionDeclarations')).map((declared) => {
    const schema = memberOf(declared, 'parametersJsonSchema')
    const own = memberOf(declared, 'parameters')
    return {
      name: textIn(declared, 'name'),
      description: textIn(declared, 'description'),
      schema: isObject(schema) ? schema : isObject(own) ? jsonSchema(own) : null,
    }
  })
}

const TOOLS_READ: ReadonlySet<string> = new Set(['functionDeclarations', 'googleSearch'])
const SEARCH_READ: ReadonlySet<string> = new Set(['excludeDomains', 'searchTypes'])

/** Google's search, which has no limits but the domains that Vertex AI leaves out; none = the tool is another. */
function readSearch(tool: JsonObject): readonly WebSearch[] {
  const asked = memberOf(tool, 'googleSearch')
  if (!isObject(asked)) return []
  const search = searchBy('tools')
  const members = Object.fromEntries(
    Object.entries(asked).map(([name, value]) => [camelCase(name), value]),
  )
  const other = unreadMember(members, SEARCH_READ)
  if (other !== null) throw unsearchable(search, `${other} of googleSearch`)
  if (memberOf(objectIn(members, 'searchTypes'), 'imageSearch') !== undefined) {
    throw unsearchable(search, 'a search of images')
  }
  return [{ ...search, blockedDomains: domainsIn(members['excludeDomains']) }]
}

function readChoice(config: JsonObject): ChatRequest['toolChoice'] {
  const mode = textIn(config, 'mode')
  const allowed = memberOf(config, 'allowedFunctionNames')
  const names = Array.isArray(allowed) ? allowed.filter((one) => typeof one === 'string') : []
  const [name] = names
  if (name !== undefined && (names.length > 1 || mode !== 'ANY')) {
    const text = 'a choice of some functions has no counterpart at this provider'
    throw new Untranslatable('toolConfig', text)
  }
  if (mode === 'ANY') return name === undefined ? 'required' : { name }
  if (mode === 'NONE') return 'none'
  return mode === '' || mode === 'MODE_UNSPECIFIED' ? null : 'auto'
}

/** By level, else by budget as Google's own translation from OpenAI has it. */
function readEffort(thinking: JsonObject): Effort | null {
  const level = textIn(thinking, 'thinkingLevel').toLowerCase()
  const named = EFFORTS.find((effort) => effort === level)
  if (named !== undefined) return named
  const budget = wholeIn(thinking, 'thinkingBudget')
  if (budget === null || budget < 0) return null
  if (budget === 0) return 'none'
  if (budget <= LOW_BUDGET) return 'low'
  return budget <= MEDIUM_BUDGET ? 'medium' : 'high'
}

function readSchema(config: JsonObject): ChatRequest['schema'] {
  const plain = memberOf(config, 'responseJsonSchema')
  if (isObject(plain)) return plain
  const own = memberOf(config, 'responseSchema')
  if (isObject(own)) return jsonSchema(own)
  const mime = textIn(config, 'responseMimeType')
  if (mime === '' || mime === 'text/plain') return null
  if (mime === 'application/json') return 'any'
  const text = `the type ${mime} has no counterpart at this provider`
  throw new Untranslatable('generationConfig.responseMimeType', text)
}

const untranslatable = (what: string): Untranslatable =>
  new Untranslatable('contents', `${what} has no counterpart at the provider of this model`)

const textOf = (text: string): Block => ({ type: 'text', text, cache: null })

function numberIn(object: JsonObject, name: string): number | null {
  const value = memberOf(object, name) ?? null
  if (value === null || typeof value === 'number') return value
  throw new Untranslatable(`generationConfig.${name}`, `${name} must be a number`)
}
