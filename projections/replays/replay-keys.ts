import { NO_WORD } from '@tollgate/domain/event-columns.ts'
import { keyText } from '../runner/columns.ts'

/** Values of one dimension as small whole numbers from 0, and as the texts that a table's rows have. */
export class ReplayKeys {
  readonly texts: string[] = []
  readonly #ofNumbers = new Map<number, number>()
  readonly #ofTexts = new Map<string, number>()
  /** By list of words: pages that threads read have lists of their own in turn. */
  readonly #ofLists = new WeakMap<readonly string[], number[]>()
  #words: readonly string[] = []
  #ofWords: number[] = []

  /** The key of an id in decimal; '0' where there is none. */
  ofNumber(value: number): number {
    const number = Number.isNaN(value) ? 0 : value
    const known = this.#ofNumbers.get(number)
    if (known !== undefined) return known
    const key = this.#add(String(number))
    this.#ofNumbers.set(number, key)
    return key
  }

  ofWord(word: number, words: readonly string[]): number {
    if (words !== this.#words) {
      this.#words = words
      this.#ofWords = this.#ofLists.get(words) ?? []
      this.#ofLists.set(words, this.#ofWords)
    }
    const known = this.#ofWords[word]
    if (known !== undefined) return known
    const text = textOf(word, words)
    const key = this.#ofTexts.get(text) ?? this.#add(text)
    this.#ofTexts.set(text, key)
    this.#ofWords[word] = key
    return key
  }

  #add(text: string): number {
    return this.texts.push(text) - 1
  }
}

/** A word as a key. */
export const textOf = (word: number, words: readonly string[]): string =>
  word === NO_WORD ? '' : keyText(words[word] ?? '')
