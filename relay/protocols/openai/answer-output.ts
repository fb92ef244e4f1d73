import { isObject, type JsonObject } from '../../json.ts'
import type { WrittenOutput } from '../../metering/written-output.ts'

/** Text of one answer kept for counting; beyond it only bytes are counted. */
const KEPT_CHARACTERS_MAX = 8 * 1024 * 1024
/** Pieces joined at once: thousands of tiny strings would weigh more than their text. */
const PIECES_PER_JOIN = 64
/** A token of the languages that tokenise worst is about three bytes. */
const BYTES_PER_TOKEN = 3
/** What OpenAI charges to frame one tool call (relay-and-billing.md 4.11). */
const TOKENS_PER_TOOL_CALL = 7
/** What Gemini charges for an image of up to 1,024 × 1,024 (ai.google.dev/gemini-api/docs/pricing). */
const TOKENS_PER_IMAGE = 1_290
/** Encrypted reasoning is base64 of what nobody here can read: four characters a token, as in English text. */
const CHARACTERS_PER_HIDDEN_TOKEN = 4
/** Content parts hold parts (Mistral's thinking); deeper than this nobody nests them. */
const PARTS_DEPTH_MAX = 4

/** What was written, to be sent to another thread. */
export interface OutputFacts {
  readonly text: string
  readonly written: Readonly<Amounts>
}

/** How much of everything was written. */
interface Amounts {
  /** UTF-16 units and bytes of text: content, reasoning, refusals, tool calls, transcripts. */
  characters: number
  bytes: number
  /** Chunks that brought something. */
  deltas: number
  toolCalls: number
  images: number
  /** Characters of encrypted reasoning. */
  hiddenCharacters: number
  /** Bytes of audio, out of their base64. */
  audioBytes: number
}

const NOTHING_YET: Readonly<Amounts> = {
  characters: 0,
  bytes: 0,
  deltas: 0,
  toolCalls: 0,
  images: 0,
  hiddenCharacters: 0,
  audioBytes: 0,
}

/**
 * What a model wrote, gathered as it passes: enough to count tokens where upstream reports none, and to know at any
 * moment about how many were written. Everything delivered counts: text in all its places, input of tools, reasoning,
 * transcripts, audio, images.
 */
export class AnswerOutput implements WrittenOutput {
  #joined: string[] = []
  #pieces: string[] = []
  readonly #written: Amounts = { ...NOTHING_YET }
  readonly #delivered: Amounts = { ...NOTHING_YET }

  /** What another thread gathered. */
  static of({ text, written }: OutputFacts): AnswerOutput {
    const output = new AnswerOutput()
    output.#joined.push(text)
    Object.assign(output.#written, written)
    return output
  }

  facts(): OutputFacts {
    return { text: this.text(), written: { ...this.#written } }
  }

  /** Takes the pieces of one chunk (or of a whole answer): `choices` of chat and text completions alike. */
  take(choices: unknown): void {
    if (!Array.isArray(choices)) return
    for (const choice of choices) {
      if (!isObject(choice)) continue
      const before = this.#weight
      this.#piece(choice['text'])
      this.#message(choice['delta'])
      this.#message(choice['message'])
      if (this.#weight > before) this.#written.deltas += 1
    }
  }

  /** Nothing was written yet. */
  get isEmpty(): boolean {
    return this.#weight === 0
  }

  /** About how many tokens were written, audio apart; never far below the truth. No tokeniser. */
  get roughTokens(): number {
    const { deltas, bytes } = this.#written
    return Math.max(deltas, Math.ceil(bytes / BYTES_PER_TOKEN)) + this.#imageAndHiddenTokens
  }

  /** No fewer tokens than what was written can have, audio apart: a token is at least a byte. */
  get mostTokens(): number {
    return this.#written.bytes + this.tokensBesideText
  }

  /** Tokens to be added to those of the text: the frames of tool calls, images, encrypted reasoning. */
  get tokensBesideText(): number {
    return TOKENS_PER_TOOL_CALL * this.#written.toolCalls + this.#imageAndHiddenTokens
  }

  /** Bytes of audio that were written, in the format that was asked for; 0 = none. */
  get audioBytes(): number {
    return this.#written.audioBytes
  }

  /** Everything that was written as text, in order. */
  text(): string {
    this.#join()
    return this.#joined.join('').slice(0, this.#written.characters)
  }

  /** What was taken so far has been delivered. */
  markDelivered(): void {
    Object.assign(this.#delivered, this.#written)
  }

  /** Forgets what was taken since, because it is not going to be delivered. */
  dropUndelivered(): void {
    Object.assign(this.#written, this.#delivered)
  }

  get #imageAndHiddenTokens(): number {
    const { images, hiddenCharacters } = this.#written
    return TOKENS_PER_IMAGE * images + Math.ceil(hiddenCharacters / CHARACTERS_PER_HIDDEN_TOKEN)
  }

  /** Grows with everything that is written. */
  get #weight(): number {
    const { bytes, images, hiddenCharacters, audioBytes } = this.#written
    return bytes + images + hiddenCharacters + audioBytes
  }

  #message(message: unknown): void {
    if (!isObject(message)) return
    const before = this.#weight
    this.#content(message['content'], 0)
    this.#reasoning(message)
    this.#piece(message['refusal'])
    this.#audio(message['audio'])
    this.#images(message['images'])
    const calls = message['tool_calls']
    if (Array.isArray(calls)) this.#tools(calls)
    const call = message['function_call']
    if (isObject(call)) this.#function(call)
    if (this.#weight === before) this.#unknown(message)
  }

  /** Text, or a list of parts (Mistral, Gemini behind OpenAI's protocol). */
  #content(content: unknown, depth: number): void {
    this.#piece(content)
    if (!Array.isArray(content) || depth > PARTS_DEPTH_MAX) return
    for (const part of content) {
      if (!isObject(part)) {
        this.#piece(part)
        continue
      }
      const before = this.#weight
      this.#piece(part['text'])
      this.#piece(part['refusal'])
      this.#content(part['thinking'], depth + 1)
      this.#audio(part['audio'] ?? part['input_audio'])
      if ('image_url' in part) this.#images([part])
      if (this.#weight === before) this.#unknown(part)
    }
  }

  /** OpenRouter sends the same thought twice, as text and in details: it counts once. */
  #reasoning(message: JsonObject): void {
    const text = message['reasoning_content'] ?? message['reasoning']
    const details = message['reasoning_details']
    const isText = typeof text === 'string' && text !== ''
    this.#piece(text)
    if (!Array.isArray(details)) return
    for (const detail of details) {
      if (!isObject(detail)) continue
      if (!isText) this.#piece(detail['text'] ?? detail['summary'])
      const hidden = detail['data']
      if (typeof hidden === 'string') this.#written.hiddenCharacters += hidden.length
    }
  }

  #audio(audio: unknown): void {
    if (!isObject(audio)) return
    this.#piece(audio['transcript'])
    const { data } = audio
    if (typeof data === 'string') this.#written.audioBytes += Math.ceil((data.length * 3) / 4)
  }

  #images(images: unknown): void {
    if (Array.isArray(images)) this.#written.images += images.length
  }

  #tools(calls: readonly unknown[]): void {
    const written = this.#written
    written.toolCalls = Math.max(written.toolCalls, calls.length)
    for (const call of calls) {
      if (!isObject(call)) continue
      const index = call['index']
      if (typeof index === 'number' && Number.isInteger(index) && index < 1_000) {
        written.toolCalls = Math.max(written.toolCalls, index + 1)
      }
      if (isObject(call['function'])) this.#function(call['function'])
      if (isObject(call['custom'])) this.#function(call['custom'])
    }
  }

  #function(call: JsonObject): void {
    this.#piece(call['name'])
    this.#piece(call['arguments'])
    this.#piece(call['input'])
  }

  /** A kind of output that is not known here counts by its texts, so that nothing new is free. */
  #unknown(value: unknown, depth = 0): void {
    this.#piece(value)
    if (typeof value !== 'object' || value === null || depth > PARTS_DEPTH_MAX) return
    for (const [key, member] of Object.entries(value)) {
      if (!LABELS.has(key)) this.#unknown(member, depth + 1)
    }
  }

  #piece(piece: unknown): void {
    if (typeof piece !== 'string' || piece === '') return
    const written = this.#written
    written.bytes += Buffer.byteLength(piece)
    if (written.characters > KEPT_CHARACTERS_MAX) return
    written.characters += piece.length
    this.#pieces.push(piece)
    if (this.#pieces.length >= PIECES_PER_JOIN) this.#join()
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(''))
    this.#pieces = []
  }
}

/** Members that say what something is, not what the model wrote. */
const LABELS: ReadonlySet<string> = new Set([
  'role',
  'type',
  'id',
  'index',
  'name',
  'format',
  'annotations',
  'obfuscation',
])
