import { type Quota, quota } from '@tollgate/domain/quota.ts'
import type { EventTable } from '@tollgate/domain/event-columns.ts'
import type { PriceBook } from '@tollgate/domain/pricing/price-book.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import { ZERO } from '@tollgate/domain/pricing/ratio.ts'
import { exactAsCharged, reprice } from '@tollgate/domain/pricing/reprice.ts'
import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { Books } from './books.ts'
import type { CountedCharge } from './figures.ts'
import { numbersOf, pricesOf, wordsOf } from './replayed-events.ts'

/** Reads the charges of tables row by row; `to` prices each anew, null = as charged. */
export function chargeReader(
  books: Pick<Books, 'book'>,
  to: PriceBook | null,
): (table: EventTable, words: readonly string[]) => (row: number) => CountedCharge {
  let known: { readonly words: readonly string[]; readonly prices: Price[] } = {
    words: [],
    prices: [],
  }
  /** One object for all prices of the same text: what it makes of a token or call is multiplied once for each. */
  function priceOf(word: number, words: readonly string[]): Price {
    if (known.words !== words) known = { words, prices: [] }
    return (known.prices[word] ??= JSON.parse(words[word] ?? '') as Price)
  }

  return (table, words) => {
    const amounts = numbersOf(table, 'amount')
    const durations = numbersOf(table, 'request.durationMs')
    const firstBytes = numbersOf(table, 'request.firstByteMs')
    const models = wordsOf(table, 'request.model')
    const groups = wordsOf(table, 'request.group')
    const prices = pricesOf(table)
    const usageOf = usageReader(table)
    return (row) => {
      const amount = quotaIn(amounts, row)
      const usage = usageOf(row)
      const firstByteMs = firstBytes[row] ?? NaN
      const common = {
        quota: amount,
        usage,
        durationMs: durations[row] ?? 0,
        firstByteMs: Number.isNaN(firstByteMs) ? null : firstByteMs,
      }
      if (to === null) {
        return { ...common, repriced: amount, isUnpriced: false, exact: ZERO, exactRepriced: ZERO }
      }
      const price = priceOf(prices[row] ?? -1, words)
      const past = {
        amount,
        model: words[models[row] ?? -1] ?? '',
        group: words[groups[row] ?? -1] ?? '',
        usage,
        price,
      }
      const found = reprice(past, books.book(price.bookRevision), to)
      return {
        ...common,
        repriced: found.amount,
        isUnpriced: found.status === 'unpriced',
        exact: exactAsCharged(past),
        exactRepriced: found.exact,
      }
    }
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
