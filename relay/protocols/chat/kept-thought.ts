import type { ChatPart } from './chat-part.ts'
import type { Block, Turn } from './chat-request.ts'
import type { PartWriter } from './part-writer.ts'

/** Whose signatures they are: no other provider can check them. */
export type ThoughtFamily = 'claude' | 'gemini'

export type ThoughtBlock = Extract<Block, { readonly type: 'reasoning' | 'redacted' }>

/** The thought that stood behind a call of a tool, and has to come back with it. Plain data. */
export interface KeptThought {
  /** Right before the call, in order. */
  readonly blocks: readonly ThoughtBlock[]
  /** The signature of the call itself, as Google gives one; '' = none. */
  readonly signature: string
}

/** By the ids of calls. */
export type KeptThoughts = ReadonlyMap<string, KeptThought>

/** The kept thoughts of one account. */
export interface AccountThoughts {
  keep(family: ThoughtFamily, call: string, thought: KeptThought): void
  /** Finds the thoughts of these calls, as far as any are kept. */
  find(family: ThoughtFamily, calls: readonly string[]): KeptThoughts
}

/** Gathers the thoughts behind the calls of one answer, part by part. */
export class ThoughtRecorder {
  readonly #keep: (call: string, thought: KeptThought) => void
  readonly #open = new Map<number, string>()
  #blocks: ThoughtBlock[] = []

  constructor(keep: (call: string, thought: KeptThought) => void) {
    this.#keep = keep
  }

  take(part: ChatPart): void {
    switch (part.type) {
      case 'open':
        if (part.kind === 'reasoning') this.#open.set(part.block, '')
        if (part.kind === 'tool-call') this.#call(part.id, part.signature ?? '')
        return
      case 'delta': {
        const text = this.#open.get(part.block)
        if (text !== undefined) this.#open.set(part.block, text + part.text)
        return
      }
      case 'close': {
        const text = this.#open.get(part.block)
        this.#open.delete(part.block)
        const { signature } = part
        if (text !== undefined && signature !== '') {
          this.#blocks.push({ type: 'reasoning', text, signature })
        }
        return
      }
      case 'redacted':
        this.#blocks.push({ type: 'redacted', data: part.data })
        return
      case 'begin':
      case 'citation':
      case 'search':
      case 'image':
      case 'finish':
        return
      default:
        part satisfies never
    }
  }

  #call(id: string, signature: string): void {
    if (this.#blocks.length > 0 || signature !== '') {
      this.#keep(id, { blocks: this.#blocks, signature })
    }
    this.#blocks = []
  }
}

/** The thoughts behind the calls of a whole answer. */
export function thoughtsIn(parts: readonly ChatPart[]): KeptThoughts {
  const found = new Map<string, KeptThought>()
  const recorder = new ThoughtRecorder((call, thought) => found.set(call, thought))
  for (const part of parts) recorder.take(part)
  return found
}

/** A writer of a stream whose thoughts are kept on the way. */
export function keepingThoughts(
  writer: PartWriter,
  family: ThoughtFamily,
  thoughts: AccountThoughts,
): PartWriter {
  const recorder = new ThoughtRecorder((call, thought) => thoughts.keep(family, call, thought))
  return {
    ...(writer.contentType !== undefined && { contentType: writer.contentType }),
    keepAlive: writer.keepAlive,
    part(part) {
      recorder.take(part)
      return writer.part(part)
    },
    closing: (usage) => writer.closing(usage),
    refused: (why, requestId) => writer.refused(why, requestId),
  }
}

/** Whether a turn calls tools and says nothing of the thoughts before that; by `isThought` of its blocks. */
export const isBare = ({ role, blocks }: Turn, isThought: (block: Block) => boolean): boolean =>
  role === 'assistant' && blocks.some(({ type }) => type === 'tool-call') && !blocks.some(isThought)

/** Calls of turns that say nothing of their thoughts. */
export const bareCalls = (
  turns: readonly Turn[],
  isThought: (block: Block) => boolean,
): readonly string[] =>
  turns
    .filter((turn) => isBare(turn, isThought))
    .flatMap(({ blocks }) => blocks.flatMap((one) => (one.type === 'tool-call' ? [one.id] : [])))

/**
 * Turns with their kept thoughts put back: thoughts of the first call begin the turn, those of later ones precede them.
 */
export const withThoughts = (
  turns: readonly Turn[],
  kept: KeptThoughts,
  isThought: (block: Block) => boolean,
): readonly Turn[] =>
  kept.size === 0
    ? turns
    : turns.map((turn) => (isBare(turn, isThought) ? restored(turn, kept) : turn))

function restored({ role, blocks }: Turn, kept: KeptThoughts): Turn {
  const first = blocks.find(({ type }) => type === 'tool-call')
  const before = first?.type === 'tool-call' ? (kept.get(first.id)?.blocks ?? []) : []
  return {
    role,
    blocks: [
      ...before,
      ...blocks.flatMap((block) => {
        const thought = block.type === 'tool-call' ? kept.get(block.id) : undefined
        if (block.type !== 'tool-call' || thought === undefined) return [block]
        const { signature } = thought
        const call = signature === '' ? block : { ...block, signature }
        return block === first ? [call] : [...thought.blocks, call]
      }),
    ],
  }
}
