import { readTradeNo, type TradeNo } from '../ids.ts'

/** The payment that a credit of source `top-up` came from. */
export interface Payment {
  readonly order: TradeNo
  /** Decimal text. */
  readonly money: string
}

/** The `reason` of such a credit, which log rows and statements are made of: `USR7NOa1B2c31767225600 7.30`. */
export const paymentReason = ({ order, money }: Payment): string => `${order} ${money}`

/** Reads it back; null for a text of another form. */
export function readPayment(reason: string): Payment | null {
  const [written = '', money = '', ...rest] = reason.split(' ')
  const order = readTradeNo(written)
  return order === null || rest.length > 0 || !/^\d+\.\d{2}$/.test(money) ? null : { order, money }
}
