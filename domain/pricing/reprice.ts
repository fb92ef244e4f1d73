import { NO_QUOTA, type Quota } from '../quota.ts'
import { amountFrom, exactOf, isNothing } from './charge.ts'
import { findPrice, hasPrice, type PriceBook } from './price-book.ts'
import { underTermsOf } from './price-factors.ts'
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
export const exactAsCharged = ({
  amount,
  usage,
  price,
}: Pick<PastCharge, 'amount' | 'usage' | 'price'>): Ratio =>
  isFree(amount, usage) ? ZERO : exactOf(price, usage)

/**
 * Prices past charges of one model, group and price by the book `to`; `from` is the book that they were charged by. The
 * book decides model, completion, cache and group ratios, prices by the call and of tools, and quota per unit.
 * `unpriced`: the model has no price in `to` and had one in `from`, or the call's price was made from more than the book.
 */
export function repricer(
  past: Pick<PastCharge, 'model' | 'group' | 'price'>,
  from: PriceBook,
  to: PriceBook,
): (charge: Pick<PastCharge, 'amount' | 'usage'>) => Repricing {
  const priceFor = pricesIn(to, past, from)
  return ({ amount, usage }) => {
    if (isFree(amount, usage)) return { status: 'repriced', amount: NO_QUOTA, exact: ZERO }
    if (priceFor === null) {
      return { status: 'unpriced', amount, exact: exactOf(past.price, usage) }
    }
    const exact = exactOf(priceFor(usage), usage)
    return { status: 'repriced', amount: amountFrom(exact), exact }
  }
}

/** As `repricer`, for one charge. */
export const reprice = (past: PastCharge, from: PriceBook, to: PriceBook): Repricing =>
  repricer(past, from, to)(past)

const isFree = (amount: Quota, usage: Usage): boolean => amount === NO_QUOTA && isNothing(usage)

function pricesIn(
  book: PriceBook,
  { model, group, price: charged }: Pick<PastCharge, 'model' | 'group' | 'price'>,
  from: PriceBook,
): ((usage: Usage) => Price) | null {
  // A model without a price of its own was charged because mode or user accepted that.
  const question = {
    model,
    group,
    acceptsUnsetRatio: !hasPrice(from, model),
    webSearchContext: searchContextOf(charged, model, from),
  }
  const before = findPrice(from, question)
  if (charged.by === 'call') {
    const isOfBook =
      before.status === 'priced' &&
      before.price.by === 'call' &&
      before.price.callPrice === charged.callPrice
    if (!isOfBook) return null
  }
  const found = findPrice(book, question)
  if (found.status === 'rejected') return null
  return before.status === 'priced'
    ? underTermsOf(charged, before.price, found.price)
    : () => found.price
}

/**
 * The context of a charge's web searches. A charge keeps their price alone, so the book that it was charged by tells the
 * context; where contexts cost the same there, it is taken for the default one.
 */
export const searchContextOf = (charged: Price, model: string, from: PriceBook): SearchContext =>
  charged.by === 'call' || charged.webSearchPrice === null
    ? DEFAULT_CONTEXT
    : (searchContextAt(from.toolPrices, model, charged.webSearchPrice) ?? DEFAULT_CONTEXT)
