import type { BookPrice } from '@tollgate/domain/pricing/price.ts'
import { reserve } from '@tollgate/domain/pricing/reserve.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import { audioTokens } from '../metering/audio-tokens.ts'
import type { WrittenOutput } from '../metering/written-output.ts'
import type { Coverage } from './hold.ts'

/** Output is covered in steps of at least this many tokens, so that long answers do not ask at every chunk. */
const COVER_STEP_TOKENS = 500
/** Five seconds of speech. */
const COVER_STEP_AUDIO_TOKENS = 100
/** The least that is of use when a full step cannot be had. */
const COVER_LEAST_TOKENS = 16
/** Exact counts of one stream; each leaves about half as much to the next. */
const COUNTS_MAX = 64

export interface StreamCoverParts {
  readonly output: WrittenOutput
  readonly price: BookPrice
  readonly coverage: Coverage
  /** The format of the audio that the request asked for. */
  readonly audioFormat: string
  /** When no more quota can be held, the stream goes on and the wallet pays. */
  readonly finishesOverdrawn: boolean
  /** Counts prompt and text exactly, off the serving thread. */
  countPrompt(): Promise<number>
  countText(text: string): Promise<number>
}

/**
 * Ensures that everything a stream delivers is paid for: text, audio and searches, each at its own price. It judges
 * tokens by bytes, which is too many. Only before a stream would be cut does it count prompt and text, so that the
 * stream ends when its quota is used up and not before.
 */
export class StreamCover {
  readonly #parts: StreamCoverParts
  /** Tokens that are known to be covered. */
  #text: number
  #audio = 0
  /** Tokens of pictures, which are among those of `#text`. */
  #images: number
  /** Searches of the provider's tools that are known to be covered. */
  #searches: number
  #promptBound: number
  /** How many fewer tokens the text has than its bytes say, by the last count. */
  #roughExcess = 0
  #counts = 0
  #wasRefused = false

  constructor(parts: StreamCoverParts) {
    this.#parts = parts
    this.#text = parts.coverage.outputCovered
    this.#images = parts.coverage.outputCovered
    this.#searches = parts.coverage.searches
    this.#promptBound = parts.coverage.promptBound
  }

  /** Whether all that was written so far is covered. Never fails: who cannot be asked gives nothing. */
  covers(): boolean | Promise<boolean> {
    const isKnown =
      this.#searchCalls() <= this.#searches && this.#parts.output.imageTokens <= this.#images
    if (isKnown && this.#textTokens() <= this.#text && this.#audioTokens() <= this.#audio) {
      return true
    }
    if (this.#isWithinReserve()) return true
    if (this.#wasRefused) return this.#coverLeast()
    const text = this.#textTokens()
    const audio = this.#audioTokens()
    const generous = this.#coverTo(
      text + Math.max(COVER_STEP_TOKENS, this.#text),
      audio === 0 ? 0 : audio + Math.max(COVER_STEP_AUDIO_TOKENS, this.#audio),
    )
    if (generous === true) return true
    if (generous === false) return this.#coverLeast()
    return generous.then(
      (isCovered) => isCovered || this.#coverLeast(),
      () => this.#coverLeast(),
    )
  }

  /** No generous step can be had: the present reservation may do, by an exact count, or else a small step. */
  async #coverLeast(): Promise<boolean> {
    this.#wasRefused = true
    await this.#count()
    if (this.#isWithinReserve()) return true
    const text = this.#textTokens() + COVER_LEAST_TOKENS
    const audio = this.#audioTokens()
    try {
      if (await this.#coverTo(text, audio === 0 ? 0 : audio + COVER_LEAST_TOKENS)) return true
    } catch {
      // A hold that cannot be extended because its owner is unavailable ends the stream as a refused one does.
    }
    if (!this.#parts.finishesOverdrawn) return false
    // From here on nothing more is held: the charge takes the uncovered part from the wallet.
    this.#text = Number.POSITIVE_INFINITY
    this.#audio = Number.POSITIVE_INFINITY
    this.#images = Number.POSITIVE_INFINITY
    this.#searches = Number.POSITIVE_INFINITY
    return true
  }

  async #count(): Promise<void> {
    if (this.#counts >= COUNTS_MAX) return
    this.#counts += 1
    const parts = this.#parts
    const { output } = parts
    const rough = output.roughTokens
    const beside = output.tokensBesideText
    const [prompt, text] = await Promise.all([
      this.#counts === 1 ? parts.countPrompt() : this.#promptBound,
      parts.countText(output.text()),
    ])
    this.#promptBound = Math.min(this.#promptBound, prompt)
    this.#roughExcess = Math.max(0, rough - text - beside)
  }

  #textTokens(): number {
    return Math.max(0, this.#parts.output.roughTokens - this.#roughExcess)
  }

  #audioTokens(): number {
    const { output, audioFormat } = this.#parts
    return output.audioBytes === 0 ? 0 : audioTokens(output.audioBytes, audioFormat)
  }

  #searchCalls(): number {
    const { webSearchCalls, fileSearchCalls } = this.#parts.output.calls
    return webSearchCalls + fileSearchCalls
  }

  #isWithinReserve(): boolean {
    const text = this.#textTokens()
    const audio = this.#audioTokens()
    const isWithin = this.#costOf(text, audio) <= this.#parts.coverage.reservation.reserved
    if (isWithin) this.#note(text, audio)
    return isWithin
  }

  #coverTo(text: number, audio: number): boolean | Promise<boolean> {
    const noted = (isCovered: boolean): boolean => {
      if (isCovered) this.#note(text, audio)
      return isCovered
    }
    const covered = this.#parts.coverage.reservation.cover(this.#costOf(text, audio))
    return typeof covered === 'boolean' ? noted(covered) : covered.then(noted)
  }

  /** Text, audio and pictures share the reservation: more of the one may leave less for the others. */
  #note(text: number, audio: number): void {
    const { imageTokens } = this.#parts.output
    const isShared = audio > this.#audio || imageTokens > this.#images
    this.#text = isShared ? text : Math.max(text, this.#text)
    this.#images = Math.max(imageTokens, this.#images)
    this.#audio = Math.max(audio, this.#audio)
    this.#searches = Math.max(this.#searchCalls(), this.#searches)
  }

  /** `text` includes the pictures. */
  #costOf(text: number, audio: number): Quota {
    const { imageTokens } = this.#parts.output
    return reserve(this.#parts.price, {
      promptUpperBound: this.#promptBound,
      audioInput: this.#parts.coverage.audioInput,
      maxOutput: Math.max(0, text - imageTokens),
      imageOutput: imageTokens,
      assumedOutput: 0,
      audioOutput: audio,
      searches: Math.max(this.#searchCalls(), this.#parts.coverage.searches),
    })
  }
}
