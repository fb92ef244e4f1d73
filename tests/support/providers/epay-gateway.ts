import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A form or notification: names and values. */
export type EpayFields = Readonly<Record<string, string>>

export interface Merchant {
  readonly pid: string
  readonly key: string
}

/** How a notification differs from the honest one. `signed` changes come before the signature, `altered` ones after it. */
export interface Deviation {
  readonly signed?: EpayFields
  readonly altered?: EpayFields
}

/**
 * A payment gateway as the EPay protocol has it: takes the merchant's form when the signature fits, and tells the
 * merchant at `notify_url` once somebody has paid; as often, as late and as falsely as a test wants.
 */
export interface EpayGateway {
  /** To be set as PayAddress. */
  readonly url: string
  /** Orders whose forms were accepted, by out_trade_no. */
  readonly orders: ReadonlyMap<string, EpayFields>
  /** The address of the notification that this order was paid. */
  notification(outTradeNo: string, deviation?: Deviation): string
  /** Sends it; answers the merchant's text. */
  notify(outTradeNo: string, deviation?: Deviation): Promise<string>
  close(): Promise<void>
}

/** Opens one on a port of its own. */
export async function startEpayGateway(merchant: Merchant): Promise<EpayGateway> {
  const orders = new Map<string, EpayFields>()
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      // Browsers ask every page's server for it.
      if (request.url === '/favicon.ico') return void response.writeHead(204).end()
      const body = await text(request)
      const form = Object.fromEntries(new URLSearchParams(body))
      const problem = request.url === '/submit.php' ? problemOf(form, merchant) : 'no such page'
      if (problem === null) orders.set(form['out_trade_no'] ?? '', form)
      response.writeHead(problem === null ? 200 : 400).end(problem ?? 'pay here')
    }
    void take()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const notification = (outTradeNo: string, deviation?: Deviation): string => {
    const form = orders.get(outTradeNo)
    if (form === undefined) throw new Error(`the gateway has no order ${outTradeNo}`)
    const query = new URLSearchParams(notificationOf(form, merchant, deviation))
    return `${form['notify_url']}?${query.toString()}`
  }
  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    notification,
    notify: async (outTradeNo, deviation) =>
      (await fetch(notification(outTradeNo, deviation))).text(),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The gateway's notification of a paid form. */
export function notificationOf(
  form: EpayFields,
  merchant: Merchant,
  { signed, altered }: Deviation = {},
): Record<string, string> {
  const fields = {
    pid: merchant.pid,
    trade_no: `G${form['out_trade_no']}`,
    out_trade_no: form['out_trade_no'] ?? '',
    type: form['type'] ?? '',
    name: form['name'] ?? '',
    money: form['money'] ?? '',
    trade_status: 'TRADE_SUCCESS',
    param: '',
    ...signed,
  }
  return { ...fields, sign_type: 'MD5', sign: signOf(fields, merchant.key), ...altered }
}

/** Why a gateway would refuse a merchant's form; null when it would not. */
export function problemOf(form: EpayFields, merchant: Merchant): string | null {
  const missing = REQUIRED.filter((name) => (form[name] ?? '') === '')
  if (missing.length > 0) return `missing: ${missing.join(', ')}`
  if (form['pid'] !== merchant.pid) return 'unknown merchant'
  if (form['sign_type'] !== 'MD5') return 'unknown kind of signature'
  if (form['sign'] !== signOf(form, merchant.key)) return 'the signature does not fit'
  return /^\d+\.\d{2}$/.test(form['money'] ?? '') ? null : 'no amount of money'
}

const REQUIRED = ['pid', 'type', 'out_trade_no', 'notify_url', 'return_url', 'name', 'money']

/** Written again from the protocol's description, so that it shares no mistake with what it checks. */
function signOf(fields: EpayFields, key: string): string {
  const md5 = createHash('md5')
  let separator = ''
  for (const name of Object.keys(fields).sort()) {
    const value = fields[name]
    if (name === 'sign' || name === 'sign_type' || !value) continue
    md5.update(`${separator}${name}=${value}`)
    separator = '&'
  }
  return md5.update(key).digest('hex')
}
