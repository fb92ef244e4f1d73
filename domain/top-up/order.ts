import { QUOTA_MAX } from '../account/limits.ts'
import {
  compare,
  parseRatio,
  type Ratio,
  ratio,
  ratioOf,
  roundHalfUp,
  times,
  ZERO,
} from '../pricing/ratio.ts'
import { quota } from '../quota.ts'
import type { AmountUnit, TopUpTerms } from './events.ts'

/** The figures that an order is made of; decimals as texts. */
export interface OrderedAmount {
  /** US dollars or quota, by `unit`. */
  readonly amount: number
  readonly unit: AmountUnit
  /** Money for one US dollar of quota. */
  readonly price: string
  readonly groupRatio: string
  readonly quotaPerUnit: string
  /** Least US dollars (option MinTopUp). */
  readonly minUsd: number
}

export type PricedOrder =
  | ({ readonly status: 'priced'; readonly isOverACent: boolean } & Pick<
      TopUpTerms,
      'quota' | 'money'
    >)
  /** Below the least amount, which is in the order's own unit. */
  | { readonly status: 'too-few'; readonly least: number }
  | { readonly status: 'too-many' }
  /** Less than a cent. */
  | { readonly status: 'too-cheap' }

/**
 * Prices an order (console-api 2.12): amount × price × group ratio, exactly, then half up to whole cents. In quota the
 * amount itself is credited, in dollars its worth, half up to whole quota.
 */
export function priceOrder(order: OrderedAmount): PricedOrder {
  const { amount, unit, minUsd } = order
  const perUnit = ratio(order.quotaPerUnit)
  const least = unit === 'usd' ? minUsd : Number(roundHalfUp(times(ratioOf(minUsd), perUnit)))
  if (amount < least) return { status: 'too-few', least }
  const credited = unit === 'usd' ? roundHalfUp(times(ratioOf(amount), perUnit)) : amount
  if (credited > QUOTA_MAX) return { status: 'too-many' }
  const worth = times(ratioOf(amount), ratio(order.price), ratio(order.groupRatio), CENTS)
  const divisor = unit === 'usd' ? ratioOf(1) : perUnit
  // worth / divisor cents: compared and rounded without dividing, which decimals cannot do exactly.
  const overACent = compare(worth, divisor)
  if (overACent < 0 || credited < 1) return { status: 'too-cheap' }
  const cents = dividedHalfUp(worth, divisor)
  return {
    status: 'priced',
    quota: quota(Number(credited)),
    money: moneyText(cents),
    isOverACent: overACent > 0,
  }
}

/** The factor of a group as decimal text; a group without one, or with 0, pays the plain price. */
export function groupRatioText(stored: number | string | undefined): string {
  const read = stored === undefined ? null : parseRatio(String(stored))
  return read === null || compare(read, ZERO) <= 0 ? '1' : String(stored)
}

const CENTS = ratioOf(100)

function dividedHalfUp(dividend: Ratio, divisor: Ratio): bigint {
  const scale = Math.max(dividend.scale, divisor.scale)
  const above = BigInt(dividend.digits) * 10n ** BigInt(scale - dividend.scale)
  const below = BigInt(divisor.digits) * 10n ** BigInt(scale - divisor.scale)
  return (above * 2n + below) / (below * 2n)
}

const moneyText = (cents: bigint): string =>
  `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
