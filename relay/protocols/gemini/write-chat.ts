import { isObject, type JsonObject } from '../../json.ts'
import {
  type Block,
  type ChatRequest,
  type MediaSource,
  type Turn,
  Untranslatable,
  unsearchable,
} from '../chat/chat-request.ts'
import type { GeminiTerms } from '../translation.ts'
import { adaptedConfig, withSafety } from './settings.ts'
import { isFromThree, thinkingByEffort } from './thinking.ts'

/**
 * Stands for the signature of a call that another model made, or whose signature was lost
 * (ai.google.dev/gemini-api/docs/thought-signatures).
 */
const SKIPPED = 'skip_thought_signature_validator'

/** Writes a chat as Google's contents; throws an Untranslatable for what they cannot say. */
export function writeChat(chat: ChatRequest, terms: GeminiTerms): JsonObject {
  if (chat.tools.length > 0 && !chat.mayCallInParallel) {
    const text = 'one tool at a time cannot be asked for at this provider'
    throw new Untranslatable('parallel_tool_calls', text)
  }
  const written = configOf(chat, terms.model)
  const { model, config } = adaptedConfig(terms.model, written, terms.settings)
  const generationConfig = config ?? written
  const safety = withSafety([], terms.settings)
  return {
    contents: new ContentWriter(isFromThree(model)).contents(chat.turns),
    ...(chat.system.length > 0 && { systemInstruction: { parts: chat.system.map(textPart) } }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    ...(safety !== null && { safetySettings: safety }),
    ...toolsOf(chat, terms),
    ...terms.override,
  }
}

function configOf(chat: ChatRequest, model: string): JsonObject {
  const members: Record<string, unknown> = {
    temperature: chat.temperature ?? undefined,
    topP: chat.topP ?? undefined,
    topK: chat.topK ?? undefined,
    maxOutputTokens: chat.maxOutput ?? undefined,
    stopSequences: chat.stop.length > 0 ? chat.stop : undefined,
    responseMimeType: chat.schema === null ? undefined : 'application/json',
    responseJsonSchema: chat.schema === 'any' ? undefined : (chat.schema ?? undefined),
    seed: chat.seed ?? undefined,
    responseModalities: chat.mayDraw === true ? ['TEXT', 'IMAGE'] : undefined,
    presencePenalty: chat.presencePenalty ?? undefined,
    frequencyPenalty: chat.frequencyPenalty ?? undefined,
    thinkingConfig: chat.effort === null ? undefined : thinkingByEffort(chat.effort, model),
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** A call with the signature of its thought. */
export const isThought = (block: Block): boolean =>
  block.type === 'tool-call' && (block.signature ?? '') !== ''

/** Brings turns into contents. Keeps the names of calls: their results repeat them. */
class ContentWriter {
  readonly #names = new Map<string, string>()
  readonly #isSigned: boolean

  constructor(signed: boolean) {
    this.#isSigned = signed
  }

  contents(turns: readonly Turn[]): readonly JsonObject[] {
    return turns.flatMap((turn) => {
      const parts = this.#parts(turn)
      const role = turn.role === 'assistant' ? 'model' : 'user'
      return parts.length === 0 ? [] : [{ role, parts }]
    })
  }

  #parts({ blocks }: Turn): readonly JsonObject[] {
    const calls = blocks.filter((block) => block.type === 'tool-call')
    const isLost = this.#isSigned && calls.every(({ signature = '' }) => signature === '')
    const first = calls[0]
    return blocks.flatMap((block) => {
      if (block.type !== 'tool-call') return this.#part(block)
      const { id, name, input } = block
      this.#names.set(id, name)
      const signature = block.signature ?? (isLost && block === first ? SKIPPED : '')
      const functionCall = { ...(id !== '' && { id }), name, args: input }
      return [{ functionCall, ...(signature !== '' && { thoughtSignature: signature }) }]
    })
  }

  #part(block: Exclude<Block, { type: 'tool-call' }>): readonly JsonObject[] {
    switch (block.type) {
      case 'text':
        return [textPart(block)]
      case 'media':
        return [mediaPart(block.source)]
      case 'tool-result':
        return this.#result(block)
      case 'reasoning':
      case 'redacted':
        // Another model's thoughts, or a summary of this one's: neither is read again.
        return []
      default:
        return block satisfies never
    }
  }

  #result({ id, blocks, isError }: ToolResult): readonly JsonObject[] {
    const name = this.#names.get(id)
    if (name === undefined) {
      throw new Untranslatable('messages', 'a result of a tool must follow the call that it is of')
    }
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    const media = blocks.flatMap((block) => (block.type === 'media' ? [block.source] : []))
    const response = responseOf(text, isError === true)
    return [{ functionResponse: { id, name, response } }, ...media.map(mediaPart)]
  }
}

type ToolResult = Extract<Block, { type: 'tool-result' }>

/** Google wants an object: what is none stands in one, which says whether the tool failed. */
function responseOf(text: string, isError: boolean): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value) && (!isError || 'error' in value)) return value
  } catch {
    // Plain text, as most tools answer.
  }
  return isError ? { error: text } : { result: text }
}

function textPart(block: Block): JsonObject {
  if (block.type === 'text') return { text: block.text }
  throw new Untranslatable('messages', `a ${block.type} has no place in a system instruction`)
}

const mediaPart = (source: MediaSource): JsonObject =>
  'url' in source
    ? { fileData: { fileUri: source.url } }
    : { inlineData: { mimeType: source.mime, data: source.base64 } }

function toolsOf(chat: ChatRequest, terms: GeminiTerms): JsonObject {
  const { tools } = chat
  const search = searchOf(chat, terms)
  if (search !== null) return { tools: [{ googleSearch: search }] }
  return tools.length === 0 ? {} : functionsOf(chat)
}

/**
 * Google's search (ai.google.dev/gemini-api/docs/google-search); null = none. It stands beside no functions: most models
 * refuse that, and others want parts of the answer sent back that no other protocol has
 * (ai.google.dev/gemini-api/docs/tool-combination). Where its user is, and how often it may search, cannot be said.
 */
function searchOf(
  { search, tools, toolChoice }: ChatRequest,
  { excludesDomains }: GeminiTerms,
): JsonObject | null {
  if (search === undefined || toolChoice === 'none') return null
  const { allowedDomains, blockedDomains } = search
  if (tools.length > 0) {
    if (search.isOffer === true) return null
    throw unsearchable(search, 'a search of the web beside functions')
  }
  if (toolChoice === 'search' || toolChoice === 'required') {
    throw new Untranslatable('tool_choice', 'a search cannot be demanded at this provider')
  }
  if (allowedDomains.length > 0) throw unsearchable(search, 'a search within some domains')
  if (blockedDomains.length === 0) return {}
  if (excludesDomains !== true) throw unsearchable(search, 'a search without some domains')
  return { excludeDomains: blockedDomains }
}

function functionsOf({ tools, toolChoice }: ChatRequest): JsonObject {
  const functionDeclarations = tools.map(({ name, description, schema }) => ({
    name,
    ...(description !== '' && { description }),
    ...(schema !== null && { parametersJsonSchema: schema }),
  }))
  const choice = functionCallingOf(toolChoice)
  return {
    tools: [{ functionDeclarations }],
    ...(choice !== null && { toolConfig: { functionCallingConfig: choice } }),
  }
}

function functionCallingOf(choice: ChatRequest['toolChoice']): JsonObject | null {
  if (choice === null || choice === 'search') return null
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: MODES[choice] }
}
const MODES = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const
