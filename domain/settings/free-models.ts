import type { OptionKey } from './catalogue.ts'
import { optionsFrom, type OptionsView } from './options.ts'

/**
 * The message that refuses a new price of 0 in the table of fixed prices (seeds, pricing table); null when there is
 * none. Such a price is more often a field left empty than a gift: an administrator gives a model away by a ratio of 0.
 * A price of 0 that is present, or comes with Tollgate, stays and is free (decision 1), so that the rest of the table
 * can be saved.
 */
export function newFreePrice(present: OptionsView, key: OptionKey, text: string): string | null {
  if (key !== 'ModelPrice') return null
  const before = [present, optionsFrom([])].map((options) => options.table(key))
  const wanted = present.with(key, text).table(key)
  const zero = [...wanted].find(
    ([model, price]) => price === 0 && before.every((table) => table.get(model) !== 0),
  )
  return zero === undefined
    ? null
    : `价格不能为 0：${zero[0]}，请填写大于 0 的价格；如需免费，请删除其价格，并将其 ModelRatio 设为 0`
}
