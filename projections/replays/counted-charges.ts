import { type Quota, quota } from '@tollgate/domain/quota.ts'
import type { EventTable } from '@tollgate/domain/event-columns.ts'
import type { PriceBook } from '@tollgate/domain/pricing/price-book.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import { ZERO } from '@tollgate/domain/pricing/ratio.ts'
import { exactAsCharged, repricer } from '@tollgate/domain/pricing/reprice.ts'
import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { Books } from './books.ts'
import type { CountedCharge } from './figures.ts'
import { numbersOf, pricesOf, wordsOf } from './replayed-events.ts'

/** Reads the charges of tables row by row; `to` prices each anew, null = as charged. */
export function chargeReader(
  books: Pick<Books, 'book'>,
  to: PriceBook | null,
): (table: EventTable, words: readonly string[]) => (row: number) => CountedCharge {
  const repricers = to === null ? null : new Repricers(books, to)

  return (table, words) => {
    const amounts = numbersOf(table, 'amount')
    const durations = numbersOf(table, 'request.durationMs')
    const firstBytes = numbersOf(table, 'request.firstByteMs')
    const models = wordsOf(table, 'request.model')
    const groups = wordsOf(table, 'request.group')
    const prices = pricesOf(table)
    const usageOf = usageReader(table)
    repricers?.useWords(words)
    return (row) => {
      const amount = quotaIn(amounts, row)
      const usage = usageOf(row)
      const durationMs = durations[row] ?? 0
      const told = firstBytes[row] ?? NaN
      const firstByteMs = Number.isNaN(told) ? null : told
      if (repricers === null) {
        return {
          quota: amount,
          usage,
          durationMs,
          firstByteMs,
          repriced: amount,
          isUnpriced: false,
          exact: ZERO,
          exactRepriced: ZERO,
        }
      }
      const { price, reprice } = repricers.of(
        prices[row] ?? -1,
        models[row] ?? -1,
        groups[row] ?? -1,
      )
      const found = reprice({ amount, usage })
      return {
        quota: amount,
        usage,
        durationMs,
        firstByteMs,
        repriced: found.amount,
        isUnpriced: found.status === 'unpriced',
        exact: exactAsCharged({ amount, usage, price }),
        exactRepriced: found.exact,
      }
    }
  }
}

/** How charges of one price, model and group are priced anew. */
interface Repricer {
  readonly price: Price
  readonly reprice: ReturnType<typeof repricer>
}

/** By price: one object for all prices of the same text, as what it makes of a token is multiplied once for each. */
interface KnownPrice {
  readonly price: Price
  readonly byModel: Map<number, Map<number, Repricer>>
}

/** The repricers of the prices, models and groups that came by, by the ids of their words. */
class Repricers {
  readonly #books: Pick<Books, 'book'>
  readonly #to: PriceBook
  #words: readonly string[] = []
  #known: KnownPrice[] = []
  readonly #knownOfLists = new WeakMap<readonly string[], KnownPrice[]>()

  constructor(books: Pick<Books, 'book'>, to: PriceBook) {
    this.#books = books
    this.#to = to
  }

  /** Words stay the same in a list. Pages that threads read have lists of their own in turn. */
  useWords(words: readonly string[]): void {
    if (this.#words === words) return
    this.#words = words
    this.#known = this.#knownOfLists.get(words) ?? []
    this.#knownOfLists.set(words, this.#known)
  }

  of(priceWord: number, model: number, group: number): Repricer {
    const { price, byModel } = (this.#known[priceWord] ??= {
      price: JSON.parse(this.#textOf(priceWord)) as Price,
      byModel: new Map(),
    })
    let byGroup = byModel.get(model)
    if (byGroup === undefined) byModel.set(model, (byGroup = new Map()))
    const known = byGroup.get(group)
    if (known !== undefined) return known
    const past = { price, model: this.#textOf(model), group: this.#textOf(group) }
    const made = {
      price,
      reprice: repricer(past, this.#books.book(price.bookRevision), this.#to),
    }
    byGroup.set(group, made)
    return made
  }

  #textOf(word: number): string {
    return this.#words[word] ?? ''
  }
}

const quotaIn = (amounts: Float64Array, row: number): Quota => quota(amounts[row] ?? NaN)

function usageReader(table: EventTable): (row: number) => Usage {
  const kind = (name: keyof Usage): ((row: number) => number) => {
    const column = numbersOf(table, `request.usage.${name}`)
    return (row) => {
      const tokens = column[row] ?? NaN
      return Number.isNaN(tokens) ? 0 : tokens
    }
  }
  const textIn = kind('textIn')
  const cachedIn = kind('cachedIn')
  const cacheWriteIn = kind('cacheWriteIn')
  const cacheWrite1hIn = kind('cacheWrite1hIn')
  const cachedAudioIn = kind('cachedAudioIn')
  const cachedImageIn = kind('cachedImageIn')
  const audioIn = kind('audioIn')
  const imageIn = kind('imageIn')
  const textOut = kind('textOut')
  const audioOut = kind('audioOut')
  const imageOut = kind('imageOut')
  const reasoningOut = kind('reasoningOut')
  const webSearchCalls = kind('webSearchCalls')
  const fileSearchCalls = kind('fileSearchCalls')
  return (row) => ({
    textIn: textIn(row),
    cachedIn: cachedIn(row),
    cacheWriteIn: cacheWriteIn(row),
    cacheWrite1hIn: cacheWrite1hIn(row),
    cachedAudioIn: cachedAudioIn(row),
    cachedImageIn: cachedImageIn(row),
    audioIn: audioIn(row),
    imageIn: imageIn(row),
    textOut: textOut(row),
    audioOut: audioOut(row),
    imageOut: imageOut(row),
    reasoningOut: reasoningOut(row),
    webSearchCalls: webSearchCalls(row),
    fileSearchCalls: fileSearchCalls(row),
  })
}
