import { dearestRate } from '../pricing/charge.ts'
import { findPrice, groupRatio, type PriceBook, priceBookFrom } from '../pricing/price-book.ts'
import { compare, ratio, ratioOf } from '../pricing/ratio.ts'
import { isPricingOption, type OptionKey } from './catalogue.ts'
import type { OptionsView } from './options.ts'

/**
 * Why a new price table or ratio is refused: with the others it makes a single token or call of a model cost more quota
 * than a safe integer holds, so that no request of it could be charged. A price that was that high before stays, so that
 * the rest of a table can be saved.
 */
export function priceBeyondLimit(
  present: OptionsView,
  key: OptionKey,
  text: string,
): string | null {
  if (!isPricingOption(key)) return null
  const wanted = modelsBeyondLimit(present.with(key, text))
  if (wanted.length === 0) return null
  const before = new Set(modelsBeyondLimit(present))
  const model = wanted.find((name) => !before.has(name))
  return model === undefined
    ? null
    : `${key} 的值过大：${model} 的各项倍率、价格与分组倍率相乘后超过上限 ${Number.MAX_SAFE_INTEGER}，请调低`
}

function modelsBeyondLimit(options: OptionsView): readonly string[] {
  const book = priceBookFrom(options, -1)
  const group = dearestGroup(book)
  const { callPrices, modelRatios, completionRatios, cacheRatios } = book
  const tables = [callPrices, modelRatios, completionRatios, cacheRatios]
  const models = new Set(tables.flatMap((table) => [...table.keys()]))
  return [...models].filter((model) => {
    const found = findPrice(book, { model, group, acceptsUnsetRatio: true })
    return found.status === 'priced' && compare(dearestRate(found.price), LIMIT) > 0
  })
}

/** Of a group without an entry the ratio is 1; the name of none is ''. */
function dearestGroup(book: PriceBook): string {
  let dearest = ''
  for (const group of book.groupRatios.keys()) {
    const isDearer = compare(ratio(groupRatio(book, group)), ratio(groupRatio(book, dearest))) > 0
    if (isDearer) dearest = group
  }
  return dearest
}

const LIMIT = ratioOf(Number.MAX_SAFE_INTEGER)
