import { UNTOLD } from '@tollgate/domain/account/request-facts.ts'
import { amountOf, priceAsUsed } from '@tollgate/domain/pricing/charge.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import { findPrice, priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import type { SearchContext } from '@tollgate/domain/pricing/tool-price.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { chargeAt } from '@tollgate/tests/support/histories/charge-history.ts'
import { expect, test } from 'vitest'
import { recalculateCharge } from './recalculate-charge.ts'

/** A log whose settings were never changed. */
const store = {
  // oxlint-disable-next-line require-yield -- no event stands there
  async *readStream() {},
}
const BOOK = priceBookFrom(optionsFrom([]), -1)
const TOKENS = { ...NO_USAGE, textIn: 100, textOut: 20 }

/** A charge as the relay makes it. */
function chargeOf(model: string, webSearchContext: SearchContext, webSearchCalls: number) {
  const usage = { ...TOKENS, webSearchCalls }
  const upstream = { ...UNTOLD, usage: '{"input_tokens":100,"output_tokens":20}' }
  const found = findPrice(BOOK, { model, group: '', acceptsUnsetRatio: true, webSearchContext })
  if (found.status !== 'priced') throw new Error(found.rejection)
  const { data } = chargeAt(1, 'r', BOOK, { model, group: '', usage, upstream })
  const price = priceAsUsed(found.price, usage)
  return { data: { ...data, amount: amountOf(price, usage), request: { ...data.request, price } } }
}

test.each([
  ['gpt-4o', 'high', 0],
  ['gpt-4o', 'high', 2],
  ['gpt-4o-mini', 'low', 1],
  ['claude-3-5-sonnet-20240620', 'medium', 3],
] as const)(
  'given %s that searched with a %s context %i times, when recalculated, then all is equal',
  async (model, context, searches) => {
    const { usage, price, amount } = await recalculateCharge(
      store,
      chargeOf(model, context, searches),
      () => TOKENS,
    )
    expect([usage.isEqual, price.isEqual, amount.isEqual]).toEqual([true, true, true])
  },
)

test('given fewer tokens than upstream reported, when recalculated, then usage is not equal', async () => {
  const more = { ...TOKENS, textOut: 21 }
  const { usage } = await recalculateCharge(store, chargeOf('gpt-4o', 'medium', 1), () => more)
  expect(usage.isEqual).toBe(false)
})

test('given a search at a price of no context, when recalculated, then the price is not equal', async () => {
  const { data } = chargeOf('gpt-4o', 'medium', 1)
  const { request } = data
  const changed = { ...request, price: { ...request.price, webSearchPrice: '1' } as Price }
  const { price } = await recalculateCharge(
    store,
    { data: { ...data, request: changed } },
    () => TOKENS,
  )
  expect(price.isEqual).toBe(false)
})
