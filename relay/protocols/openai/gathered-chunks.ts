import { isObject, type JsonObject } from '../../json.ts'
import type { ChunkAnswer } from './chunk-answer.ts'

/** Texts that come in pieces; all other members of a chunk are whole. */
const IN_PIECES: ReadonlySet<string> = new Set([
  'text',
  'content',
  'reasoning_content',
  'reasoning',
  'refusal',
  'arguments',
  'input',
  'data',
  'transcript',
])
/** No member of a chunk nests deeper; below it later values replace earlier ones. */
const DEPTH_MAX = 6

type Gathered = Record<string, unknown>

/**
 * Gathers the chunks of a stream to the one answer that OpenAI's client asked for, of a chat or of a text completion:
 * all choices, with their tool calls and log probabilities.
 */
export class GatheredChunks implements ChunkAnswer {
  readonly contentType = 'application/json'
  /** White space before the JSON. */
  readonly keepAlive = ' '
  readonly #isText: boolean
  readonly #members: Gathered = Object.create(null)
  readonly #choices = new Map<number, Gathered>()

  /** `isText`: the answer is a text completion, not a chat. */
  constructor(isText: boolean) {
    this.#isText = isText
  }

  /** Takes a chunk; nothing of it is delivered before the end. */
  chunk({ choices, object: _object, usage: _usage, ...members }: JsonObject): string {
    // Those of the answer as a whole are told again and again.
    for (const [name, value] of Object.entries(members)) {
      if (!(name in this.#members) || (value !== null && value !== '')) this.#members[name] = value
    }
    for (const [place, choice] of (Array.isArray(choices) ? choices : []).entries()) {
      if (!isObject(choice)) continue
      const index = typeof choice['index'] === 'number' ? choice['index'] : place
      const known: Gathered = this.#choices.get(index) ?? Object.create(null)
      const { message: _message, ...piece } = choice
      // Some vendors repeat the whole message so far beside its piece.
      merge(known, { index, ...(isObject(choice['delta']) ? piece : choice) }, 0)
      this.#choices.set(index, known)
    }
    return ''
  }

  /** The answer; `shown` is its usage in OpenAI's words. */
  closing(_usage: unknown, shown: JsonObject): string {
    const object = this.#isText ? 'text_completion' : 'chat.completion'
    const choices = [...this.#choices.entries()]
      .toSorted(([one], [other]) => one - other)
      .map(([, choice]) => wholeChoice(choice))
    return JSON.stringify({ ...this.#members, object, choices, usage: shown })
  }

  /** Nothing was written yet: the status tells of the failure, or behind a sent head the broken connection. */
  refused(): string {
    return ''
  }
}

/** A choice whose deltas are its message. */
function wholeChoice({ delta, ...choice }: Gathered): Gathered {
  if (!isObject(delta)) return { finish_reason: null, ...choice }
  const { tool_calls: calls } = delta
  const message = {
    role: 'assistant',
    content: null,
    ...delta,
    ...(Array.isArray(calls) && { tool_calls: calls.map(withoutIndex) }),
  }
  return { finish_reason: null, ...choice, message }
}

const withoutIndex = (call: unknown): unknown => {
  if (!isObject(call)) return call
  const { index: _index, ...whole } = call
  return whole
}

function merge(into: Gathered, from: JsonObject, depth: number): void {
  for (const [name, value] of Object.entries(from))
    into[name] = merged(name, into[name], value, depth)
}

function merged(name: string, known: unknown, value: unknown, depth: number): unknown {
  if (known === undefined || value === null || depth > DEPTH_MAX) {
    return known !== undefined && value === null ? known : copied(name, value, depth)
  }
  if (typeof value === 'string' && typeof known === 'string') {
    return IN_PIECES.has(name) || value === '' ? known + value : value
  }
  if (Array.isArray(value) && Array.isArray(known)) {
    if (name === 'tool_calls') mergeCalls(known, value, depth)
    else for (const item of value) known.push(item)
    return known
  }
  if (isObject(value) && isObject(known)) {
    merge(known, value, depth + 1)
    return known
  }
  return value
}

/** A value that others are merged into. */
function copied(name: string, value: unknown, depth: number): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = []
    if (name !== 'tool_calls') return [...value]
    mergeCalls(items, value, depth)
    return items
  }
  if (!isObject(value) || depth > DEPTH_MAX) return value
  const copy: Gathered = Object.create(null)
  merge(copy, value, depth + 1)
  return copy
}

/** Pieces of calls, by their index: some providers name none, and send each call whole. */
function mergeCalls(known: unknown[], calls: readonly unknown[], depth: number): void {
  for (const call of calls) {
    if (!isObject(call)) continue
    const { index } = call
    const at = known.findIndex(
      (one) => isObject(one) && index !== undefined && one['index'] === index,
    )
    const open = known[at]
    if (isObject(open)) merge(open, call, depth + 1)
    else known.push(copied('', call, depth))
  }
}
