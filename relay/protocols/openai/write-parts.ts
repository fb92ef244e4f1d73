import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import type { ChatPart, Citation, FinishReason } from '../chat/chat-part.ts'
import type { PartWriter } from '../chat/part-writer.ts'
import { errorEvent } from './errors.ts'
import { inOpenAiWords } from './usage-words.ts'

const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  filtered: 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  'context-exceeded': 'length',
}
/** How clients know whose signature it is when they send a thought back (OpenRouter's name of it). */
const REASONING_FORMAT = 'anthropic-claude-v1'

/** How an answer calls itself. */
interface Naming {
  readonly id: string
  readonly model: string
}

/** Brings parts into deltas of OpenAI's one choice. Keeps state of one answer. */
class DeltaWriter {
  naming: Naming = { id: '', model: '' }
  finish: string | null = null
  /** Thoughts by block: a client that sends them back sends them whole. */
  readonly #thoughts = new Map<number, string>()
  /** Places of tool calls by block. */
  readonly #calls = new Map<number, number>()
  #details = 0
  /** Where in the content the text of a block begins. */
  readonly #starts = new Map<number, number>()
  #contentLength = 0

  /** Null = nothing of it is said. */
  delta(part: ChatPart): JsonObject | null {
    switch (part.type) {
      case 'begin':
        this.naming = { id: part.id, model: part.model }
        return { role: 'assistant', content: '' }
      case 'open':
        if (part.kind === 'reasoning') this.#thoughts.set(part.block, '')
        if (part.kind === 'text') this.#starts.set(part.block, this.#contentLength)
        if (part.kind !== 'tool-call') return null
        this.#calls.set(part.block, this.#calls.size)
        return this.#call(part.block, {
          id: part.id,
          type: 'function',
          function: { name: part.name, arguments: '' },
          ...extraContent(part.signature),
        })
      case 'delta':
        return this.#text(part.block, part.text)
      case 'close':
        return this.#close(part.block, part.signature)
      case 'redacted':
        return this.#detail({ type: 'reasoning.encrypted', data: part.data })
      case 'citation':
        return { annotations: [annotationOf(part, this.#starts.get(part.block) ?? 0)] }
      case 'search':
        // Completions have its pages alone.
        return null
      case 'image':
        return { images: [imageOf(part)] }
      case 'finish':
        this.finish = FINISH_REASONS[part.reason]
        return {}
      default:
        return part satisfies never
    }
  }

  #text(block: number, text: string): JsonObject {
    if (this.#calls.has(block)) return this.#call(block, { function: { arguments: text } })
    const thought = this.#thoughts.get(block)
    if (thought === undefined) {
      this.#contentLength += text.length
      return { content: text }
    }
    this.#thoughts.set(block, thought + text)
    return { reasoning_content: text }
  }

  #close(block: number, signature: string): JsonObject | null {
    const text = this.#thoughts.get(block)
    this.#thoughts.delete(block)
    if (text === undefined || signature === '') return null
    return this.#detail({ type: 'reasoning.text', text, signature })
  }

  #call(block: number, call: JsonObject): JsonObject {
    return { tool_calls: [{ index: this.#calls.get(block), ...call }] }
  }

  #detail(detail: JsonObject): JsonObject {
    const index = this.#details
    this.#details += 1
    return { reasoning_details: [{ ...detail, format: REASONING_FORMAT, index }] }
  }
}

/** As OpenAI's models that search have it; `from` = where the block's text begins. */
const annotationOf = ({ url, title, start, end }: Citation, from: number): JsonObject => ({
  type: 'url_citation',
  url_citation: { start_index: from + start, end_index: from + end, url, title },
})

/** As Google's own translation to OpenAI has it (ai.google.dev/gemini-api/docs/thought-signatures). */
const extraContent = (signature: string | undefined): JsonObject =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }

/** As OpenRouter has it (openrouter.ai/docs/features/multimodal/image-generation). */
const imageOf = ({
  mime,
  base64,
}: {
  readonly mime: string
  readonly base64: string
}): JsonObject => ({
  type: 'image_url',
  image_url: { url: `data:${mime};base64,${base64}` },
})

/** Writes an answer as chunks. `created` in unix seconds. */
export class ChunkWriter implements PartWriter {
  readonly keepAlive = ': PING\n\n'
  readonly #deltas = new DeltaWriter()
  readonly #created: number
  readonly #showsUsage: boolean
  #head: { readonly of: Naming; readonly json: string } | null = null

  constructor(created: number, showsUsage: boolean) {
    this.#created = created
    this.#showsUsage = showsUsage
  }

  part(part: ChatPart): string {
    const delta = this.#deltas.delta(part)
    if (delta === null) return ''
    const finish = part.type === 'finish' ? this.#deltas.finish : null
    return this.#event({ choices: [{ index: 0, delta, finish_reason: finish }] })
  }

  /** The usage chunk where it was asked for, and the end. */
  closing(usage: Usage): string {
    const chunk = this.#showsUsage ? this.#event({ choices: [], usage: inOpenAiWords(usage) }) : ''
    return `${chunk}data: [DONE]\n\n`
  }

  refused(why: Refusal, requestId: string): string {
    return errorEvent(why, requestId)
  }

  #event(members: JsonObject): string {
    return `data: ${this.#headOf(this.#deltas.naming)},${JSON.stringify(members).slice(1)}\n\n`
  }

  /** The members that all chunks begin with, without the end of their object. */
  #headOf(naming: Naming): string {
    if (this.#head?.of === naming) return this.#head.json
    const { id, model } = naming
    const head = { id, object: 'chat.completion.chunk', created: this.#created, model }
    const json = JSON.stringify(head).slice(0, -1)
    this.#head = { of: naming, json }
    return json
  }
}

/** Writes an answer as a whole completion. `created` in unix seconds. */
export function writeCompletion(
  parts: readonly ChatPart[],
  usage: Usage | null,
  created: number,
): JsonObject {
  const deltas = new DeltaWriter()
  let content: string | null = null
  let reasoning = ''
  const details: unknown[] = []
  const annotations: unknown[] = []
  const images: JsonObject[] = []
  const calls = new Map<unknown, { part: Extract<ChatPart, { kind: 'tool-call' }>; json: string }>()
  for (const part of parts) {
    const delta = deltas.delta(part)
    if (delta === null) continue
    if (part.type === 'delta' && typeof delta['content'] === 'string')
      content = (content ?? '') + delta['content']
    if (typeof delta['reasoning_content'] === 'string') reasoning += delta['reasoning_content']
    if (Array.isArray(delta['reasoning_details'])) details.push(...delta['reasoning_details'])
    if (Array.isArray(delta['annotations'])) annotations.push(...delta['annotations'])
    if (part.type === 'open' && part.kind === 'tool-call') {
      calls.set(part.block, { part, json: '' })
    }
    if (part.type === 'image') images.push(imageOf(part))
    const call = part.type === 'delta' ? calls.get(part.block) : undefined
    if (call !== undefined && part.type === 'delta') call.json += part.text
  }
  const toolCalls = [...calls.values()].map(({ part, json }) => ({
    id: part.id,
    type: 'function',
    function: { name: part.name, arguments: json },
    ...extraContent(part.signature),
  }))
  const message = {
    role: 'assistant',
    content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(annotations.length > 0 && { annotations }),
    ...(images.length > 0 && { images }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: deltas.finish ?? 'stop' }
  const { id, model } = deltas.naming
  const head = { id, object: 'chat.completion', created, model, choices: [choice] }
  return usage === null ? head : { ...head, usage: inOpenAiWords(usage) }
}
