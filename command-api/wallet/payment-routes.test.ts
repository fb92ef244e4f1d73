import { topUpStream } from '@tollgate/domain/event.ts'
import type { ApiReply, ApiRoute } from '../http-contract/api-route.ts'
import { codedFailure } from '../http-contract/failure-code.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
  TEST_START,
} from '@tollgate/tests/support/command-api.ts'
import { type EpayFields, problemOf } from '@tollgate/tests/support/providers/epay-gateway.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { slidingWindowLimiter } from '../identity/rate-limiter.ts'
import { changeOption } from '../options/change-option.ts'
import { followOptions, type LiveOptions } from '../options/live-options.ts'
import { type OptionSecrets, optionSecrets } from '../secrets/option-secrets.ts'
import { abandonOrders, ORDER_LIFE_MS } from '../workflows/top-up-credit.ts'
import { ORDER_LIMIT, paymentRoutes } from './payment-routes.ts'

let fixture: CommandApiFixture
let options: LiveOptions
let secrets: OptionSecrets
let routes: readonly ApiRoute[]
const merchant = { pid: '1000', key: 'k3y' }
const caller = { ...callerWith(7), group: 'vip' }

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  secrets = optionSecrets(fixture.db, fixture.vault)
  options = await followOptions({ ...fixture, secrets })
  routes = paymentRoutes({
    ...fixture,
    options,
    orderLimit: slidingWindowLimiter(ORDER_LIMIT, fixture.clock),
  })
})
afterAll(() => fixture.close())

const CAUSE = { actor: 'user:1', correlationId: 'test', causationId: null } as const
async function set(changes: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, text] of Object.entries(changes)) {
    const outcome = await changeOption({ ...fixture, secrets }, { key, text }, CAUSE)
    if (outcome.status === 'rejected') throw new Error(JSON.stringify(outcome))
    await options.waitFor(outcome.position)
  }
}

const ask = (path: 'amount' | 'pay', body: unknown, by = caller): Promise<ApiReply> =>
  callRoute(routes, path === 'pay' ? 'POST /api/user/pay' : 'POST /api/user/amount', {
    body,
    caller: by,
  })
const said = async (path: 'amount' | 'pay', body: unknown): Promise<unknown> =>
  (await ask(path, body)).whole
const error = (data: string) => ({ message: 'error', data, ...codedFailure(data) })

describe('given no gateway,', () => {
  test('when an order is placed, then it says who has to do something', async () => {
    expect(await said('pay', { amount: 1, payment_method: 'zfb' })).toEqual(
      error('管理员未开启在线充值！'),
    )
    expect(await said('amount', { amount: 1 })).toEqual(error('管理员未开启在线充值！'))
  })
})

const setGateway = () =>
  set({
    ServerAddress: 'https://gate.example.com',
    PayAddress: 'https://pay.example.com/epay/',
    EpayId: merchant.pid,
    EpayKey: merchant.key,
  })

describe('what a top-up costs', () => {
  beforeAll(setGateway)
  test('given prices and groups, when asked, then it is exact, in dollars and in quota', async () => {
    expect(await said('amount', { amount: 10, top_up_code: 'x' })).toEqual({
      message: 'success',
      data: '73.00',
    })
    await set({ TopupGroupRatio: '{"default":1,"vip":0.85}', Price: '0.3', MinTopUp: '3' })
    expect(await said('amount', { amount: 3 })).toEqual({ message: 'success', data: '0.77' })
    await set({ DisplayInCurrencyEnabled: 'false' })
    expect(await said('amount', { amount: 1_500_001 })).toEqual({
      message: 'success',
      data: '0.77',
    })
    expect(await said('amount', { amount: 1_499_999 })).toEqual(error('充值数量不能小于 1500000'))
    await set({ DisplayInCurrencyEnabled: 'true', TopupGroupRatio: '{"default":1,"vip":0}' })
    expect(await said('amount', { amount: 3 })).toEqual({ message: 'success', data: '0.90' })
    await set({ Price: '7.3', MinTopUp: '1' })
  })

  test.each([
    [{ amount: 0 }, '充值数量不能小于 1'],
    [{ amount: -1 }, '充值数量不能小于 1'],
    [{}, '充值数量不能小于 1'],
    [{ amount: 1e12 }, '充值数量过大'],
  ])('given %j, when asked or ordered, then it is refused', async (body, message) => {
    expect(await said('amount', body)).toEqual(error(message))
    expect(await said('pay', body)).toEqual(error(message))
  })

  test('given a cent, when asked, then it is too little to show; less than a cent is too little to order', async () => {
    await set({ Price: '0.01' })
    expect(await said('amount', { amount: 1 })).toEqual(error('充值金额过低'))
    expect(await said('pay', { amount: 1, payment_method: 'zfb' })).toMatchObject({
      message: 'success',
    })
    await set({ Price: '0.009' })
    expect(await said('pay', { amount: 1 })).toEqual(error('充值金额过低'))
    await set({ Price: '7.3' })
  })

  test('given bodies that do not fit, when they come, then the answer has the form of these two routes', () => {
    for (const { invalidBodyReply } of routes) {
      expect(invalidBodyReply).toEqual({ whole: error('参数错误') })
    }
  })
})

describe('given a gateway,', () => {
  beforeAll(setGateway)
  const formOf = async (body: object): Promise<EpayFields> =>
    ((await said('pay', body)) as { readonly data: EpayFields }).data

  test('when an order is placed, then the gateway takes its form and the order is in the log with its price', async () => {
    const answer = await ask('pay', { amount: 10, payment_method: 'zfb', top_up_code: '' })
    const { data: form, ...rest } = answer.whole as { readonly data: EpayFields }
    expect(rest).toEqual({ message: 'success', url: 'https://pay.example.com/epay/submit.php' })
    expect(problemOf(form, merchant)).toBeNull()
    expect(form).toEqual({
      pid: '1000',
      type: 'alipay',
      out_trade_no: expect.stringMatching(/^USR7NO[0-9A-Za-z]{6}1767225600$/),
      notify_url: 'https://gate.example.com/api/user/epay/notify',
      return_url: 'https://gate.example.com/log',
      name: 'TUC10',
      money: '73.00',
      device: 'pc',
      sign_type: 'MD5',
      sign: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    const [requested, ...more] = await fixture.eventsOf(topUpStream(form['out_trade_no'] ?? ''))
    expect(more).toEqual([])
    expect(requested).toMatchObject({
      type: 'TopUpRequested',
      position: answer.wrote,
      metadata: { actor: 'user:7' },
      data: {
        at: TEST_START,
        user: 7,
        quota: 5_000_000,
        money: '73.00',
        method: 'zfb',
        amount: 10,
        unit: 'usd',
        price: '7.3',
        group: 'vip',
        groupRatio: '1',
        quotaPerUnit: '500000',
      },
    })
  })

  test('when the server’s address is missing or holds a field, then nothing is signed or ordered', async () => {
    for (const [address, message] of [
      ['', '管理员未填写服务器地址，暂时无法在线充值'],
      ['https://x&trade_status=TRADE_SUCCESS&ts=', '拉起支付失败'],
    ] as const) {
      const view = options.current().with('ServerAddress', address)
      const live = Object.assign(Object.create(options) as LiveOptions, { current: () => view })
      const there = paymentRoutes({
        ...fixture,
        options: live,
        orderLimit: { take: () => Promise.reject(new Error('an order was begun')) },
      })
      const call = { body: { amount: 10, payment_method: 'zfb' }, caller }
      expect(await callRoute(there, 'POST /api/user/pay', call)).toEqual({ whole: error(message) })
    }
  })

  test('when wx is asked for, then it is WeChat pay with its own callback; other ways are refused', async () => {
    await set({ CustomCallbackAddress: 'https://back.example.com' })
    expect(await formOf({ amount: 1, payment_method: 'wx' })).toMatchObject({
      type: 'wxpay',
      notify_url: 'https://back.example.com/api/user/epay/notify',
      return_url: 'https://gate.example.com/log',
    })
    for (const payment_method of ['', 'other', 'ZFB', 'zfb ']) {
      expect(await said('pay', { amount: 1, payment_method })).toEqual(error('参数错误'))
    }
  })

  test('when a user orders on and on, then 429 says when to come again, in the form of this route', async () => {
    const eager = callerWith(8)
    const orders = await Promise.all(
      Array.from({ length: ORDER_LIMIT.attempts }, () =>
        ask('pay', { amount: 1, payment_method: 'zfb' }, eager),
      ),
    )
    const numbers = orders.map(({ whole }) => (whole as { data: EpayFields }).data['out_trade_no'])
    expect(new Set(numbers).size).toBe(ORDER_LIMIT.attempts)
    expect(await ask('pay', { amount: 1, payment_method: 'zfb' }, eager)).toEqual({
      whole: error('请求次数过多，请稍后再试！'),
      status: 429,
      headers: { 'Retry-After': '1200' },
    })
  })

  test('when an order is a day old, then it is given up once, and a younger one is not', async () => {
    const old = (await formOf({ amount: 1, payment_method: 'zfb' }))['out_trade_no'] ?? ''
    fixture.pass(1)
    const made = fixture.clock.now()
    const young = (await formOf({ amount: 1, payment_method: 'zfb' }))['out_trade_no'] ?? ''
    fixture.pass(ORDER_LIFE_MS)
    const pendingSince = (before: number) => Promise.resolve(before >= made ? [old] : [])
    await abandonOrders({ ...fixture, pendingSince })
    await abandonOrders({ ...fixture, pendingSince })
    const typesOf = async (order: string) =>
      (await fixture.eventsOf(topUpStream(order))).map(({ type }) => type)
    expect(await typesOf(old)).toEqual(['TopUpRequested', 'TopUpAbandoned'])
    expect(await typesOf(young)).toEqual(['TopUpRequested'])
  })
})
