import { z } from 'zod'
import { ConsoleClient } from './console-client.ts'
import type { EpayGateway, Merchant } from './providers/epay-gateway.ts'
import type { Product } from './product-kinds.ts'
import type { TollgateProcess } from './tollgate-process.ts'

/** Environment of products that these tests start: behind a proxy, as installations are, everybody has an address. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1' } as const
export const MERCHANT: Merchant = { pid: '1000', key: 'the-key-of-the-merchant' }
/** Everybody's. */
export const PASSWORD = 'long-enough-2'

/** A product that sells quota: set up, with its gateway named, and people who buy. */
export interface Shop {
  readonly root: ConsoleClient
  /** Addresses of each process that serves the console's calls. */
  readonly urls: readonly string[]
  /** Ordinary users without quota, each at another process in turn. */
  addUsers(name: string, count: number): Promise<readonly ConsoleClient[]>
  makeCodes(count: number, worth: number): Promise<string[]>
  redeem(user: ConsoleClient, key: string): ReturnType<ConsoleClient['send']>
  /** Orders, and posts the form to the gateway as a browser would; answers the order's number. */
  order(user: ConsoleClient, amount: number): Promise<string>
}

const made = z.array(z.string())
const ordered = z.object({
  message: z.literal('success'),
  data: z.record(z.string(), z.string()),
  url: z.string(),
})

/** Runs the setup and says how payment goes. */
export async function openShop(
  product: Product & { processes?(root: 'api'): readonly TollgateProcess[] },
  gateway: EpayGateway,
): Promise<Shop> {
  const urls = product.processes?.('api').map(({ url }) => url) ?? [product.url]
  const root = new ConsoleClient(product.url)
  await root.setUp('root', PASSWORD)
  await root.logIn('root', PASSWORD)
  await root.setOptions({
    ServerAddress: product.url,
    PayAddress: gateway.url,
    EpayId: MERCHANT.pid,
    EpayKey: MERCHANT.key,
  })
  let posts = 0
  return {
    root,
    urls,
    async addUsers(name, count) {
      const users: ConsoleClient[] = []
      for (let index = 0; index < count; index++) {
        const username = `${name}${index}`
        await root.ask('POST', '/api/user/', z.unknown(), { username, password: PASSWORD })
        const user = new ConsoleClient(urls[index % urls.length] ?? product.url)
        await user.logIn(username, PASSWORD)
        users.push(user)
      }
      return users
    },
    makeCodes: (count, worth) =>
      root.ask('POST', '/api/redemption/', made, { name: 'spring', quota: worth, count }),
    // From another address each time, as users are.
    redeem: (user, key) =>
      user.send(
        'POST',
        '/api/user/topup',
        { key },
        { 'x-forwarded-for': `203.0.113.${posts++ % 250}` },
      ),
    async order(user, amount) {
      const body = { amount, payment_method: 'zfb', top_up_code: '' }
      const answer = await user.fetch('POST', '/api/user/pay', body)
      const { data: form, url } = ordered.parse(await answer.json())
      const posted = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
      if (!posted.ok) throw new Error(`the gateway refused the form: ${await posted.text()}`)
      return form['out_trade_no'] ?? ''
    },
  }
}

const counts = z.array(z.object({ name: z.string(), decided: z.int(), credited: z.int() }))

/** Uses and credits of each code, and payments and credits of each order, straight from the events. */
export async function walletInLedger(product: Product): Promise<{
  readonly codes: z.infer<typeof counts>
  readonly orders: z.infer<typeof counts>
}> {
  const codes = await product.query(`
    select split_part(stream, '-', 2) as name,
      count(*) filter (where type = 'CodeRedeemed')::int as decided,
      (select count(*) from ledger.events credit where credit.type = 'QuotaCredited'
        and credit.data::jsonb->>'source' = 'redemption'
        and credit.data::jsonb->>'reason' = split_part(code.stream, '-', 2))::int as credited
    from ledger.events code where stream like 'redemption-%' group by stream`)
  const orders = await product.query(`
    select split_part(stream, '-', 2) as name,
      count(*) filter (where type = 'TopUpPaid')::int as decided,
      (select count(*) from ledger.events credit where credit.type = 'QuotaCredited'
        and credit.data::jsonb->>'source' = 'top-up'
        and credit.data::jsonb->>'reason' like split_part(topup.stream, '-', 2) || ' %')::int as credited
    from ledger.events topup where stream like 'topup-%' group by stream`)
  return { codes: counts.parse(codes), orders: counts.parse(orders) }
}
