import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { ConsoleClient } from '../support/console-client.ts'
import { type EpayGateway, startEpayGateway } from '../support/providers/epay-gateway.ts'
import { until } from '../support/processes.ts'
import { startProduct } from '../support/product.ts'
import type { Product } from '../support/product-kinds.ts'
import { BEHIND_PROXY, MERCHANT, openShop, type Shop, walletInLedger } from '../support/wallet.ts'

/** Codes and top-ups over HTTP, with a payment gateway that signs and checks; in one process and in several. */
let product: Product
let gateway: EpayGateway
let shop: Shop
let users: readonly ConsoleClient[]
const WORTH = 100_000

beforeAll(async () => {
  gateway = await startEpayGateway(MERCHANT)
  product = await startProduct({ env: BEHIND_PROXY })
  shop = await openShop(product, gateway)
  users = await shop.addUsers('user', 5)
})
afterAll(async () => {
  await product.dispose()
  await gateway.close()
})

const userAt = (index: number): ConsoleClient => users[index % users.length] ?? shop.root
/** The same notification at every process that serves the console's calls. */
const notifyAt = async (number: string, index: number): Promise<string> => {
  const { pathname, search } = new URL(gateway.notification(number))
  const base = shop.urls[index % shop.urls.length] ?? product.url
  return (await fetch(new URL(pathname + search, base))).text()
}

test('given an order, when it is paid, then balance, log and list of orders show it', async () => {
  const payer = userAt(0)
  const number = await shop.order(payer, 2)
  expect(await gateway.notify(number, { altered: { money: '0.01' } })).toBe('fail')
  expect(await gateway.notify(number)).toBe('success')
  await until('the balance shows it', async () => (await payer.self()).quota > 0)
  expect((await payer.self()).quota).toBe(1_000_000)
  const log = async () => (await payer.logs({ type: '1' })).map(({ content }) => content)
  await until('the log shows it', async () => (await log()).length > 0)
  expect(await log()).toEqual(['使用在线充值成功，充值金额: ＄2.000000 额度，支付金额：14.600000'])
  const page = z.object({ items: z.array(z.looseObject({})), total: z.number() })
  const listed = () => shop.root.ask('GET', `/api/ledger/top-ups?trade_no=${number}`, page)
  await until('the list shows it', async () => (await listed()).items[0]?.['status'] === 'paid')
  expect(await listed()).toMatchObject({
    items: [{ username: 'user0', quota: 1_000_000, money: '14.60' }],
    total: 1,
  })
})

test('given an order, when its notification comes 50 times at once, then one credit is made', async () => {
  const number = await shop.order(userAt(1), 1)
  const told = await Promise.all(Array.from({ length: 50 }, (_, index) => notifyAt(number, index)))
  expect(told).toEqual(told.map(() => 'success'))
  const { orders } = await walletInLedger(product)
  expect(orders.filter(({ name }) => name === number)).toEqual([
    { name: number, decided: 1, credited: 1 },
  ])
})

test('given a code, when 5 users post it 50 times at once, then one of them has it once', async () => {
  const [code = ''] = await shop.makeCodes(1, WORTH)
  const before = await Promise.all(users.map((user) => user.self()))
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => shop.redeem(userAt(index), code)),
  )
  expect(answers.filter(({ success }) => success).map(({ data }) => data)).toEqual([WORTH])
  const winner = users[answers.findIndex(({ success }) => success) % users.length]
  const quotas = async () =>
    (await Promise.all(users.map((user) => user.self()))).map(({ quota }) => quota)
  const wanted = before.map(({ id, quota }) => (id === winner?.userId ? quota + WORTH : quota))
  await until('the balance shows it', async () => String(await quotas()) === String(wanted))
  const list = z.object({
    items: z.array(z.object({ status: z.number(), used_user_id: z.number() })),
  })
  const found = () => shop.root.ask('GET', `/api/redemption/search?code=${code}`, list)
  await until('the list shows it', async () => (await found()).items[0]?.status === 3)
  expect((await found()).items).toEqual([{ status: 3, used_user_id: winner?.userId }])
})

test('given somebody who guesses codes, when their addresses differ, then they are stopped all the same', async () => {
  const [guesser = shop.root] = await shop.addUsers('guesser', 1)
  for (let guess = 0; guess < 20; guess++) {
    expect((await shop.redeem(guesser, `${guess}`)).message).toBe('兑换失败，无效的兑换码')
  }
  expect(await shop.redeem(guesser, '20')).toMatchObject({ status: 429, success: false })
})
