import type { UserId } from '@tollgate/domain/ids.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import type { PaymentMethod, TopUpTerms } from '@tollgate/domain/top-up/events.ts'
import { groupRatioText, priceOrder } from '@tollgate/domain/top-up/order.ts'

export interface OrderWanted {
  readonly user: UserId
  readonly group: string
  /** US dollars while DisplayInCurrencyEnabled, else quota. */
  readonly amount: number
  readonly method: PaymentMethod
}

export type OrderMade =
  | { readonly status: 'made'; readonly terms: TopUpTerms; readonly isOverACent: boolean }
  /** The text for the user who orders. */
  | { readonly status: 'refused'; readonly message: string }

export const TOO_CHEAP = '充值金额过低'

/** An order at the prices in force, or why there is none (console-api 2.12). */
export function orderOf(wanted: OrderWanted, options: OptionsView): OrderMade {
  const { amount, group } = wanted
  const parts = {
    amount,
    unit: options.flag('DisplayInCurrencyEnabled') ? 'usd' : 'quota',
    price: String(options.number('Price')),
    groupRatio: groupRatioText(options.table('TopupGroupRatio').get(group)),
    quotaPerUnit: String(options.number('QuotaPerUnit')),
  } as const
  const priced = priceOrder({ ...parts, minUsd: options.number('MinTopUp') })
  switch (priced.status) {
    case 'too-few':
      return refused(`充值数量不能小于 ${priced.least}`)
    case 'too-many':
      return refused('充值数量过大')
    case 'too-cheap':
      return refused(TOO_CHEAP)
    case 'priced': {
      const { quota, money, isOverACent } = priced
      return { status: 'made', terms: { ...wanted, ...parts, quota, money }, isOverACent }
    }
    default:
      return priced satisfies never
  }
}

const refused = (message: string): OrderMade => ({ status: 'refused', message })
