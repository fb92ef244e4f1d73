import type { Price } from '@tollgate/domain/pricing/price.ts'

/** Prices remembered at most: models by groups by revisions by terms, in a year some thousands. */
const PRICES_MAX = 10_000

/**
 * Answers one object for all prices that are alike: a charge's price is parsed with its event, and what it makes of a
 * token or call is multiplied once for each object.
 */
export function sharedPrices(): (price: Price) => Price {
  const known = new Map<string, Price>()
  return (price) => {
    const key = JSON.stringify(price)
    const shared = known.get(key)
    if (shared !== undefined) return shared
    if (known.size >= PRICES_MAX) known.clear()
    known.set(key, price)
    return price
  }
}
