import { dearestRate } from '../pricing/charge.ts'
import { findPrice, groupRatio, type PriceBook, priceBookFrom } from '../pricing/price-book.ts'
import { SEARCH_CONTEXTS } from '../pricing/tool-price.ts'
import { compare, ratio, ratioOf } from '../pricing/ratio.ts'
import type { OptionsView } from './options.ts'

/**
 * The message that refuses new prices; null when they may be saved. Together they make a single token or call of a
 * model cost more quota than a safe integer holds, so that no request of it could be charged. A model that is beyond
 * the limit already may stay so, so that the rest can be saved. `named` is the value's name in the message.
 */
export function pricesBeyondLimit(
  present: OptionsView,
  wanted: OptionsView,
  named: string,
): string | null {
  const beyond = modelsBeyondLimit(wanted)
  const before = new Set(beyond.length === 0 ? [] : modelsBeyondLimit(present))
  const model = beyond.find((name) => !before.has(name))
  return model === undefined
    ? null
    : `${named} 的值过大：${model} 的各项倍率、价格与分组倍率相乘后超过上限 ${Number.MAX_SAFE_INTEGER}，请调低`
}

function modelsBeyondLimit(options: OptionsView): readonly string[] {
  const book = priceBookFrom(options, -1)
  const group = dearestGroup(book)
  const { callPrices, modelRatios, completionRatios, cacheRatios, factors } = book
  const { audioRatios, audioCompletionRatios } = book
  const { cacheWriteRatios, cacheWrite1hRatios } = book
  const { cachedAudioRatios, cachedImageRatios, imageOutRatios } = book
  const tables: readonly ReadonlyMap<string, unknown>[] = [
    callPrices,
    modelRatios,
    completionRatios,
    cacheRatios,
    cacheWriteRatios,
    cacheWrite1hRatios,
    audioRatios,
    audioCompletionRatios,
    cachedAudioRatios,
    cachedImageRatios,
    imageOutRatios,
    factors,
  ]
  const models = new Set(tables.flatMap((table) => [...table.keys()]))
  return [...models].filter((model) =>
    SEARCH_CONTEXTS.some((webSearchContext) => {
      const found = findPrice(book, { model, group, acceptsUnsetRatio: true, webSearchContext })
      return found.status === 'priced' && compare(dearestRate(found.price), LIMIT) > 0
    }),
  )
}

/** The group with the highest ratio; '' = any without an entry, whose ratio is 1. */
function dearestGroup(book: PriceBook): string {
  let dearest = ''
  for (const group of book.groupRatios.keys()) {
    const isDearer = compare(ratio(groupRatio(book, group)), ratio(groupRatio(book, dearest))) > 0
    if (isDearer) dearest = group
  }
  return dearest
}

const LIMIT = ratioOf(Number.MAX_SAFE_INTEGER)
