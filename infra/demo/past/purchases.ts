import { type EpayFields, withSign } from '@tollgate/command-api/wallet/epay.ts'
import { z } from 'zod'
import type { ConsoleSession } from '../console-session.ts'
import { MERCHANT } from '../people.ts'

const ordered = z.object({
  message: z.literal('success'),
  data: z.record(z.string(), z.string()),
})
const codes = z.array(z.string())

/** Orders a top-up of US dollars, as somebody would in the wallet; answers the form that a browser posts to the gateway. */
export async function orderTopUp(buyer: ConsoleSession, dollars: number): Promise<EpayFields> {
  const body = { amount: dollars, payment_method: 'zfb', top_up_code: '' }
  return ordered.parse(await buyer.whole('POST', '/api/user/pay', body)).data
}

/** Pays an order, as the gateway says so. Throws when Tollgate refuses the notification. */
export async function payOrder(gateway: ConsoleSession, form: EpayFields): Promise<void> {
  const { out_trade_no: order = '', type = '', name = '', money = '' } = form
  const paid = {
    pid: MERCHANT.pid,
    trade_no: `2026${order.slice(-8)}`,
    out_trade_no: order,
    type,
    name,
    money,
    trade_status: 'TRADE_SUCCESS',
  }
  const query = new URLSearchParams(withSign(paid, MERCHANT.key))
  const answer = await gateway.whole('GET', `/api/user/epay/notify?${query.toString()}`)
  if (answer !== 'success') throw new Error(`the demo’s payment was refused: ${String(answer)}`)
}

/** Issues redemption codes of so many US dollars' quota; answers their keys. */
export const issueCodes = (
  root: ConsoleSession,
  code: { readonly name: string; readonly count: number; readonly quota: number },
): Promise<readonly string[]> => root.ask('POST', '/api/redemption', codes, code)

export const redeemCode = (owner: ConsoleSession, key: string): Promise<unknown> =>
  owner.ask('POST', '/api/user/topup', z.unknown(), { key })
