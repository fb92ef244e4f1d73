import { isObject, type JsonObject } from '../../json.ts'

/** Text of one answer kept for counting; beyond it only bytes are counted. */
const KEPT_CHARACTERS_MAX = 8 * 1024 * 1024
/** Pieces joined at once: thousands of tiny strings would weigh more than their text. */
const PIECES_PER_JOIN = 64
/** A token of the languages that tokenise worst is about three bytes. */
const BYTES_PER_TOKEN = 3
/** What OpenAI charges to frame one tool call (relay-and-billing.md 4.11). */
const TOKENS_PER_TOOL_CALL = 7

/**
 * What a model wrote, gathered as it passes: enough to count tokens where upstream reports none, and to know at any
 * moment about how many were written.
 */
export class OutputText {
  #joined: string[] = []
  #pieces: string[] = []
  #characters = 0
  #bytes = 0
  #deltas = 0
  #toolCalls = 0
  #mark = { characters: 0, bytes: 0, deltas: 0, toolCalls: 0 }

  /** Takes the pieces of one chunk (or of a whole answer): `choices` of chat and text completions alike. */
  take(choices: unknown): void {
    if (!Array.isArray(choices)) return
    for (const choice of choices) {
      if (!isObject(choice)) continue
      const before = this.#bytes
      this.#piece(choice['text'])
      this.#message(choice['delta'])
      this.#message(choice['message'])
      if (this.#bytes > before) this.#deltas += 1
    }
  }

  /** Nothing was written yet. */
  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** About how many tokens were written; never far below the truth. No tokeniser. */
  get roughTokens(): number {
    return Math.max(this.#deltas, Math.ceil(this.#bytes / BYTES_PER_TOKEN))
  }

  /** No fewer tokens than what was written can have: a token is at least a byte. */
  get mostTokens(): number {
    return this.#bytes + this.framingTokens
  }

  /** Tokens that frame tool calls, to be added to those of the text. */
  get framingTokens(): number {
    return TOKENS_PER_TOOL_CALL * this.#toolCalls
  }

  /** Everything that was written, in order. */
  text(): string {
    this.#join()
    return this.#joined.join('').slice(0, this.#characters)
  }

  /** What was taken so far has been delivered. */
  markDelivered(): void {
    const mark = this.#mark
    mark.characters = this.#characters
    mark.bytes = this.#bytes
    mark.deltas = this.#deltas
    mark.toolCalls = this.#toolCalls
  }

  /** Forgets what was taken since, because it is not going to be delivered. */
  dropUndelivered(): void {
    this.#characters = this.#mark.characters
    this.#bytes = this.#mark.bytes
    this.#deltas = this.#mark.deltas
    this.#toolCalls = this.#mark.toolCalls
  }

  #message(message: unknown): void {
    if (!isObject(message)) return
    this.#piece(message['content'])
    this.#piece(message['reasoning_content'] ?? message['reasoning'])
    this.#piece(message['refusal'])
    const calls = message['tool_calls']
    if (Array.isArray(calls)) this.#tools(calls)
    const call = message['function_call']
    if (isObject(call)) this.#function(call)
  }

  #tools(calls: readonly unknown[]): void {
    this.#toolCalls = Math.max(this.#toolCalls, calls.length)
    for (const call of calls) {
      if (!isObject(call)) continue
      const index = call['index']
      if (typeof index === 'number' && Number.isInteger(index) && index < 1_000) {
        this.#toolCalls = Math.max(this.#toolCalls, index + 1)
      }
      if (isObject(call['function'])) this.#function(call['function'])
    }
  }

  #function(call: JsonObject): void {
    this.#piece(call['name'])
    this.#piece(call['arguments'])
  }

  #piece(piece: unknown): void {
    if (typeof piece !== 'string' || piece === '') return
    this.#bytes += Buffer.byteLength(piece)
    if (this.#characters > KEPT_CHARACTERS_MAX) return
    this.#characters += piece.length
    this.#pieces.push(piece)
    if (this.#pieces.length >= PIECES_PER_JOIN) this.#join()
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(''))
    this.#pieces = []
  }
}
