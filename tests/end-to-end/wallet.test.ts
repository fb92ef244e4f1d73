import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { expectBalancedBooks } from '../support/books.ts'
import { ConsoleClient } from '../support/console-client.ts'
import { type EpayGateway, startEpayGateway } from '../support/epay-gateway.ts'
import { until } from '../support/processes.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'

/**
 * Codes and top-ups with the real product, a payment gateway that signs and checks, many at once, and kill -9 in the
 * middle: whoever used a code or paid an order is credited once, and nobody else.
 */
let product: SingleProduct
let gateway: EpayGateway
let root: ConsoleClient
let users: readonly ConsoleClient[]
const merchant = { pid: '1000', key: 'the-key-of-the-merchant' }
const PASSWORD = 'long-enough-2'
const WORTH = 100_000

beforeAll(async () => {
  gateway = await startEpayGateway(merchant)
  // Behind a proxy, as installations are: everybody has an address of their own.
  product = await startSingleProduct({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  root = new ConsoleClient(product.url)
  await root.setUp('root', PASSWORD)
  await root.logIn('root', PASSWORD)
  for (const [key, value] of [
    ['ServerAddress', product.url],
    ['PayAddress', gateway.url],
    ['EpayId', merchant.pid],
    ['EpayKey', merchant.key],
  ] as const) {
    await root.setOption(key, value)
  }
  users = await addUsers('user', 5)
})
afterAll(async () => {
  await product.dispose()
  await gateway.close()
})

async function addUsers(name: string, count: number): Promise<readonly ConsoleClient[]> {
  const added: ConsoleClient[] = []
  for (let index = 0; index < count; index++) {
    added.push(await root.addUser(`${name}${index}`, PASSWORD, 1))
  }
  return added
}

const makeCodes = (count: number): Promise<string[]> =>
  root.ask('POST', '/api/redemption/', z.array(z.string()), { name: 'spring', quota: WORTH, count })

let posts = 0
/** From another address each time: what is limited here are users. */
const redeem = (user: ConsoleClient, key: string) =>
  user.send('POST', '/api/user/topup', { key }, { 'x-forwarded-for': `203.0.113.${posts++ % 250}` })

const orderAnswer = z.object({
  message: z.literal('success'),
  data: z.record(z.string(), z.string()),
  url: z.string(),
})

/** Orders, and posts the form to the gateway as a browser would; answers the order's number. */
async function order(user: ConsoleClient, amount: number): Promise<string> {
  const body = { amount, payment_method: 'zfb', top_up_code: '' }
  const answer = await user.fetch('POST', '/api/user/pay', body)
  const { data: form, url } = orderAnswer.parse(await answer.json())
  const posted = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  expect([posted.status, await posted.text()]).toEqual([200, 'pay here'])
  return form['out_trade_no'] ?? ''
}

/** Uses and credits of each code, and payments and credits of each order, straight from the events. */
async function countsInLedger(): Promise<{ readonly codes: Counts; readonly orders: Counts }> {
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
const counts = z.array(z.object({ name: z.string(), decided: z.int(), credited: z.int() }))
type Counts = z.infer<typeof counts>

describe('given the product and a payment gateway,', () => {
  test('when an order is paid, then balance, log and list of orders show it', async () => {
    const [payer = root] = users
    const before = (await payer.self()).quota
    const number = await order(payer, 2)
    expect(await gateway.notify(number, { altered: { money: '0.01' } })).toBe('fail')
    expect(await gateway.notify(number)).toBe('success')
    await until('the balance shows it', async () => (await payer.self()).quota > before)
    expect((await payer.self()).quota).toBe(before + 1_000_000)
    const log = async () => (await payer.logs({ type: '1' })).map(({ content }) => content)
    await until('the log shows it', async () => (await log()).length > 0)
    expect(await log()).toEqual([
      '使用在线充值成功，充值金额: ＄2.000000 额度，支付金额：14.600000',
    ])
    const page = z.object({ items: z.array(z.looseObject({})), total: z.number() })
    const listed = () => root.ask('GET', `/api/ledger/top-ups?trade_no=${number}`, page)
    await until('the list shows it', async () => (await listed()).items[0]?.['status'] === 'paid')
    expect(await listed()).toMatchObject({
      items: [{ username: 'user0', quota: 1_000_000, money: '14.60' }],
      total: 1,
    })
  })

  test('when the same notification comes 50 times at once, then all hear success and one credit is made', async () => {
    const number = await order(users[1] ?? root, 1)
    const told = await Promise.all(Array.from({ length: 50 }, () => gateway.notify(number)))
    expect(told).toEqual(told.map(() => 'success'))
    const { orders } = await countsInLedger()
    expect(orders.filter(({ name }) => name === number)).toEqual([
      { name: number, decided: 1, credited: 1 },
    ])
  })

  test('when 5 users post one code 50 times at once, then one of them has it once', async () => {
    const [code = ''] = await makeCodes(1)
    const before = await Promise.all(users.map((user) => user.self()))
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => redeem(users[index % 5] ?? root, code)),
    )
    expect(answers.filter(({ success }) => success).map(({ data }) => data)).toEqual([WORTH])
    const after = await Promise.all(users.map((user) => user.self()))
    const gains = after.map(({ quota }, index) => quota - (before[index]?.quota ?? 0))
    expect(gains.filter((gain) => gain !== 0)).toEqual([WORTH])
    const list = z.object({
      items: z.array(z.object({ status: z.number(), used_user_id: z.number() })),
    })
    const search = `/api/redemption/search?code=${code}`
    const winner = users[gains.indexOf(WORTH)]?.userId
    expect((await root.ask('GET', search, list)).items).toEqual([
      { status: 3, used_user_id: winner },
    ])
  })

  test('when somebody guesses codes, then they are stopped although their addresses differ', async () => {
    const [guesser = root] = await addUsers('guesser', 1)
    const [code = ''] = await makeCodes(1)
    for (let guess = 0; guess < 20; guess++) {
      expect((await redeem(guesser, `${guess}`)).message).toBe('兑换失败，无效的兑换码')
    }
    expect(await redeem(guesser, code)).toMatchObject({ status: 429, success: false })
  })
})

describe('given codes and payments under way,', () => {
  let workers: readonly ConsoleClient[]
  beforeAll(async () => {
    workers = await addUsers('worker', 5)
  })

  // The earlier the kill, the more is between decision and credit.
  test.each([
    ['alone', 1],
    ['everything', 4],
    ['alone', 9],
  ] as const)(
    'when the product is killed (%s) after %i answers, then all that was used or paid is credited once in the end',
    async (what, answersBeforeKill) => {
      const codes = await makeCodes(5)
      const orders = await Promise.all(workers.map((worker) => order(worker, 1)))
      let answered = 0
      const asked = <Answer>(answer: Promise<Answer>): Promise<Answer | null> =>
        answer.then(
          (value) => {
            answered += 1
            return value
          },
          // Killed under this request: nobody knows what became of it.
          () => null,
        )
      const redeeming = codes.flatMap((code) =>
        workers.map((worker) => asked(redeem(worker, code))),
      )
      const notifying = orders.flatMap((number) =>
        [1, 2, 3].map(() => asked(gateway.notify(number)).then((told) => ({ number, told }))),
      )
      await until('some are answered', () => answered >= answersBeforeKill)
      await product.kill(what)
      const redeemed = await Promise.all(redeeming)
      const notified = await Promise.all(notifying)
      await product.start()

      // The gateway repeats itself until it is believed; what it heard before must have been true.
      const believed = notified.filter(({ told }) => told === 'success').map(({ number }) => number)
      const soon = await countsInLedger()
      for (const number of believed) {
        expect(soon.orders).toContainEqual({ name: number, decided: 1, credited: 1 })
      }
      for (const number of orders) {
        await until(
          'the gateway is believed',
          async () => (await gateway.notify(number)) === 'success',
        )
      }
      await until(
        'whatever was decided is credited',
        async () => {
          const { codes: uses, orders: payments } = await countsInLedger()
          return [...uses, ...payments].every(({ decided, credited }) => decided === credited)
        },
        20_000,
      )
      const now = await countsInLedger()
      for (const { decided } of now.codes) expect(decided).toBeLessThanOrEqual(1)
      for (const number of orders) {
        expect(now.orders).toContainEqual({ name: number, decided: 1, credited: 1 })
      }
      // Nobody was told of a credit that is not there.
      const successes = redeemed.filter((answer) => answer?.success === true).length
      const uses = now.codes.reduce((total, { decided }) => total + decided, 0)
      expect(uses).toBeGreaterThanOrEqual(successes)
    },
  )

  test('when all is done, then nothing waits, and ledger, log and balances agree', async () => {
    const waiting = z.object({ total: z.number() })
    await until('no process waits', async () => {
      return (await root.ask('GET', '/api/ledger/processes', waiting)).total === 0
    })
    await expectBalancedBooks(product, root, [...users, ...workers])
    const started = await root.ask('POST', '/api/audit/reconcile', job)
    await until('the comparison has ended', async () => {
      const { status, result } = await root.ask('GET', `/api/audit/jobs/${started.id}`, job)
      if (status !== 'running') expect({ status, result }).toMatchObject(AGREED)
      return status !== 'running'
    })
  })
})

const AGREED = { status: 'done', result: { differences: 0 } }
const job = z.object({
  id: z.string(),
  status: z.string(),
  result: z.record(z.string(), z.unknown()).nullable(),
})
