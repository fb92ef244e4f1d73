import { NO_QUOTA, type Quota } from '../quota.ts'
import { amountFrom, exactOf, isNothing } from './charge.ts'
import { findPrice, hasPrice, type PriceBook } from './price-book.ts'
import { withTermsOf } from './price-factors.ts'
import type { Price } from './price.ts'
import { type Ratio, ZERO } from './ratio.ts'
import { DEFAULT_CONTEXT, type SearchContext, searchContextAt } from './tool-price.ts'
import type { Usage } from './usage.ts'

/** The facts of a past charge that another price needs. */
export interface PastCharge {
  readonly amount: Quota
  readonly model: string
  readonly group: string
  readonly usage: Usage
  /** As charged. */
  readonly price: Price
}

/** A charge at the prices of another book. Exact figures are in quota, before rounding. */
export interface Repricing {
  /** `unpriced`: the book cannot price it, so it stands as it was charged. */
  readonly status: 'repriced' | 'unpriced'
  readonly amount: Quota
  readonly exact: Ratio
}

/** Before rounding, in quota; a free answer cost nothing (decision 5). */
export const exactAsCharged = ({ amount, usage, price }: PastCharge): Ratio =>
  isFree(amount, usage) ? ZERO : exactOf(price, usage)

/**
 * Prices a past charge by the book `to`; `from` is the book that it was charged by. The book decides model, completion,
 * cache and group ratios, prices by the call and of tools, and quota per unit.
 * `unpriced`: the model has no price in `to` and had one in `from`, or the call's price was made from more than the book.
 */
export function reprice(past: PastCharge, from: PriceBook, to: PriceBook): Repricing {
  if (isFree(past.amount, past.usage)) {
    return { status: 'repriced', amount: NO_QUOTA, exact: ZERO }
  }
  const price = priceIn(to, past, from)
  if (price === null) {
    return { status: 'unpriced', amount: past.amount, exact: exactOf(past.price, past.usage) }
  }
  const exact = exactOf(price, past.usage)
  return { status: 'repriced', amount: amountFrom(exact), exact }
}

const isFree = (amount: Quota, usage: Usage): boolean => amount === NO_QUOTA && isNothing(usage)

function priceIn(book: PriceBook, past: PastCharge, from: PriceBook): Price | null {
  const { model, group, price: charged } = past
  // A model without a price of its own was charged because mode or user accepted that.
  const question = {
    model,
    group,
    acceptsUnsetRatio: !hasPrice(from, model),
    webSearchContext: searchContextOf(charged, model, from),
  }
  if (charged.by === 'call') {
    const before = findPrice(from, question)
    const isOfBook =
      before.status === 'priced' &&
      before.price.by === 'call' &&
      before.price.callPrice === charged.callPrice
    if (!isOfBook) return null
  }
  const found = findPrice(book, question)
  if (found.status === 'rejected') return null
  const before = findPrice(from, question)
  return before.status === 'priced'
    ? withTermsOf(charged, before.price, found.price, past.usage)
    : found.price
}

/**
 * The context of a charge's web searches. A charge keeps their price alone, so the book that it was charged by tells the
 * context; where contexts cost the same there, it is taken for the default one.
 */
export const searchContextOf = (charged: Price, model: string, from: PriceBook): SearchContext =>
  charged.by === 'call' || charged.webSearchPrice === null
    ? DEFAULT_CONTEXT
    : (searchContextAt(from.toolPrices, model, charged.webSearchPrice) ?? DEFAULT_CONTEXT)
