/**
 * Quota is Tollgate's unit of account: a whole number, 500,000 of which make one US dollar unless the option
 * QuotaPerUnit says otherwise. It is never a float. Amounts of one account stay within the safe integers; sums over
 * accounts are made in SQL or with bigint.
 */
declare const quotaBrand: unique symbol
export type Quota = number & { readonly [quotaBrand]: 'Quota' }

/** Makes a Quota of a whole number; throws a RangeError for a fraction, NaN or anything beyond 2^53. */
export function quota(value: number): Quota {
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`quota must be a whole number within ±(2^53 − 1), got ${value}`)
  }
  return (value === 0 ? 0 : value) as Quota
}

export const NO_QUOTA: Quota = quota(0)

/** a + b, checked. */
export const plus = (a: Quota, b: Quota): Quota => quota(a + b)
/** a − b, checked; may be negative. */
export const minus = (a: Quota, b: Quota): Quota => quota(a - b)
export const lesser = (a: Quota, b: Quota): Quota => (a < b ? a : b)
export const greater = (a: Quota, b: Quota): Quota => (a > b ? a : b)
