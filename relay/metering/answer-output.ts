import type { ToolCalls } from './openai-usage.ts'
import type { WrittenOutput } from './written-output.ts'

/** Text of one answer kept for counting; beyond it only bytes are counted. */
const KEPT_CHARACTERS_MAX = 8 * 1024 * 1024
/** Pieces joined at once: thousands of tiny strings would weigh more than their text. */
const PIECES_PER_JOIN = 64
/** A token of the languages that tokenise worst is about three bytes. */
const BYTES_PER_TOKEN = 3
/** OpenAI's charge to frame one tool call (relay-and-billing.md 4.11). */
const TOKENS_PER_TOOL_CALL = 7
/** Gemini's charge for an image of up to 1,024 × 1,024 (ai.google.dev/gemini-api/docs/pricing). */
const TOKENS_PER_IMAGE = 1_290
/** Encrypted reasoning is base64 of unreadable text: four characters a token, as in English text. */
const CHARACTERS_PER_HIDDEN_TOKEN = 4

/** A model's output so far, to be sent to another thread. */
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
  /** Searches that the provider's own tools made. */
  webSearches: number
  fileSearches: number
}

const NOTHING_YET: Readonly<Amounts> = {
  characters: 0,
  bytes: 0,
  deltas: 0,
  toolCalls: 0,
  images: 0,
  hiddenCharacters: 0,
  audioBytes: 0,
  webSearches: 0,
  fileSearches: 0,
}

/**
 * A model's output, gathered as it passes: enough to count tokens where upstream reports none, and to know at any
 * moment about how many were written. Protocols say what in an answer is text, a tool call, an image.
 */
export class AnswerOutput implements WrittenOutput {
  #joined: string[] = []
  #pieces: string[] = []
  readonly #written: Amounts = { ...NOTHING_YET }
  readonly #delivered: Amounts = { ...NOTHING_YET }

  /** The output that another thread gathered. */
  static of({ text, written }: OutputFacts): AnswerOutput {
    const output = new AnswerOutput()
    output.#joined.push(text)
    Object.assign(output.#written, written)
    return output
  }

  facts(): OutputFacts {
    return { text: this.text(), written: { ...this.#written } }
  }

  /** Nothing was written yet. */
  get isEmpty(): boolean {
    return this.weight === 0
  }

  /** About how many tokens were written, audio apart; never far below the truth. No tokeniser. */
  get roughTokens(): number {
    const { deltas, bytes } = this.#written
    return Math.max(deltas, Math.ceil(bytes / BYTES_PER_TOKEN)) + this.#imageAndHiddenTokens
  }

  /** An upper bound on the tokens of the written output, audio apart: a token is at least a byte. */
  get mostTokens(): number {
    return this.#written.bytes + this.tokensBesideText
  }

  /** Tokens to be added to those of the text: the frames of tool calls, images, encrypted reasoning. */
  get tokensBesideText(): number {
    return TOKENS_PER_TOOL_CALL * this.#written.toolCalls + this.#imageAndHiddenTokens
  }

  /** Tokens of the pictures that were written, about. */
  get imageTokens(): number {
    return TOKENS_PER_IMAGE * this.#written.images
  }

  /** Bytes of audio that were written, in the format that was asked for; 0 = none. */
  get audioBytes(): number {
    return this.#written.audioBytes
  }

  /** Calls of tools that have a price. */
  get calls(): ToolCalls {
    const { webSearches, fileSearches } = this.#written
    return { webSearchCalls: webSearches, fileSearchCalls: fileSearches }
  }

  /** Everything that was written as text, in order. */
  text(): string {
    this.#join()
    return this.#joined.join('').slice(0, this.#written.characters)
  }

  /** Marks all that was taken so far as delivered. */
  markDelivered(): void {
    Object.assign(this.#delivered, this.#written)
  }

  /** Forgets the output taken since, because it is not going to be delivered. */
  dropUndelivered(): void {
    Object.assign(this.#written, this.#delivered)
  }

  get #imageAndHiddenTokens(): number {
    const { hiddenCharacters } = this.#written
    return this.imageTokens + Math.ceil(hiddenCharacters / CHARACTERS_PER_HIDDEN_TOKEN)
  }

  /** Grows with everything that is written. */
  protected get weight(): number {
    const { bytes, images, hiddenCharacters, audioBytes, webSearches, fileSearches } = this.#written
    return bytes + images + hiddenCharacters + audioBytes + webSearches + fileSearches
  }

  /** A chunk brought something: no chunk has less than a token. */
  addDelta(): void {
    this.#written.deltas += 1
  }

  /** There are so many tool calls by now. */
  countToolCalls(calls: number): void {
    this.#written.toolCalls = Math.max(this.#written.toolCalls, calls)
  }

  addImages(images: number): void {
    this.#written.images += images
  }

  /** Encrypted reasoning. */
  addHidden(characters: number): void {
    this.#written.hiddenCharacters += characters
  }

  addAudio(base64: string): void {
    this.#written.audioBytes += Math.ceil((base64.length * 3) / 4)
  }

  addWebSearch(): void {
    this.#written.webSearches += 1
  }

  addFileSearch(): void {
    this.#written.fileSearches += 1
  }

  /** Text; anything else is nothing. */
  addText(piece: unknown): void {
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
