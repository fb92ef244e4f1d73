import type { ServerResponse } from 'node:http'
import type { ProbedChannel } from '@tollgate/domain/ports/channel-probe.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import type { Dispatcher } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Asked,
  type FakeUpstream,
  PLAIN_TERMS,
  startUpstream,
} from '@tollgate/tests/support/relay/relay-under-test.ts'
import { makeDispatchers } from '../upstream/dispatchers.ts'
import { makeAnswerReader } from '../protocols/answer-reader.ts'
import { makeChannelProbe } from './channel-probe.ts'

const KEY = 'secret-key-1234'
const NOW = Date.UTC(2026, 10, 21)
const dispatchers = makeDispatchers(1_000)
/** Where requests were meant to go; all of them come to the stand-in. */
const origins: string[] = []
let upstream: FakeUpstream

/** Some providers have one fixed address. */
const toStandIn: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  origins.push(String(options.origin))
  return dispatch({ ...options, origin: upstream.url }, handler)
}
const probe = makeChannelProbe({
  answers: makeAnswerReader(),
  dispatchers: {
    through: (proxy) => dispatchers.through(proxy).compose(toStandIn),
    close: () => dispatchers.close(),
  },
  publicDispatchers: dispatchers,
  clock: { ...systemClock, now: () => NOW },
  limits: { firstByteMs: 300, idleMs: 300 },
  keywords: () => [],
  yuanPerDollar: () => 7.3,
})

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(async () => {
  await dispatchers.close()
  await upstream.close()
})
beforeEach(() => {
  origins.length = 0
  upstream.asked.length = 0
})

const channel = (type: number, baseUrl = ''): ProbedChannel => ({
  id: 1,
  reach: 'configured',
  key: KEY,
  proxy: '',
  terms: { ...PLAIN_TERMS, type, baseUrl },
})
const read = (type: number, baseUrl?: string) => probe.readBalance(channel(type, baseUrl))

/** Answers by path, and as any provider would to a wrong path or key. */
function provide(
  pages: Readonly<Record<string, object>>,
  hasKey: (asked: Asked) => boolean = ({ headers }) => headers.authorization === `Bearer ${KEY}`,
): void {
  upstream.behave((response, asked) => {
    const page = pages[asked.path]
    if (page === undefined) return answer(response, 404, '{"error":"no such page"}')
    if (!hasKey(asked)) return answer(response, 401, '{"error":"no such key"}')
    return answer(response, 200, JSON.stringify(page))
  })
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}

const SUBSCRIPTION = '/v1/dashboard/billing/subscription'
const PAID = { hard_limit_usd: 100.1, has_payment_method: true }

describe('reading the balance of an account', () => {
  test.each([
    ['a payment method, since the first of the month', true, '2026-11-01'],
    ['none, since a hundred days ago', false, '2026-08-13'],
  ])(
    'given OpenAI billing and %s, when read, then usage in cents is taken off the limit',
    async (_what, pays, since) => {
      provide({
        [SUBSCRIPTION]: { ...PAID, has_payment_method: pays },
        [`/v1/dashboard/billing/usage?start_date=${since}&end_date=2026-11-21`]: {
          total_usage: 1234.5,
        },
      })
      expect(await read(1)).toBe('87.755')
      expect(new Set(origins)).toEqual(new Set(['https://api.openai.com']))
      expect(await read(8, 'https://other.example/v1/chat/completions')).toBe('87.755')
      expect(origins.at(-1)).toBe('https://other.example')
    },
  )

  test('given more usage than the limit, when read, then the balance is below zero', async () => {
    upstream.behave((response, { path }) =>
      answer(response, 200, JSON.stringify(path === SUBSCRIPTION ? PAID : { total_usage: 20_000 })),
    )
    expect(await read(1)).toBe('-99.9')
  })

  test.each([
    [12, 'https://api.api2gpt.com', { total_remaining: 3.25 }, '3.25'],
    [13, 'https://api.aigc2d.com', { total_available: '0.5' }, '0.5'],
  ])(
    'given type %i, when read, then its grants at its own address tell',
    async (type, origin, grants, balance) => {
      provide({ '/dashboard/billing/credit_grants': grants })
      expect(await read(type, 'https://ignored.example')).toBe(balance)
      expect(origins).toEqual([origin])
    },
  )

  test('given AIProxy, when read, then its own header carries the key, and a refusal is told', async () => {
    const page = '/api/report/getUserOverview'
    const hasKey = ({ headers }: Asked) =>
      headers['api-key'] === KEY && headers.authorization === undefined
    provide({ [page]: { success: true, data: { totalPoints: 7 } } }, hasKey)
    expect(await read(10)).toBe('7')
    expect(origins).toEqual(['https://aiproxy.io'])
    provide({ [page]: { success: false, error_code: 9, message: `bad key ${KEY}` } }, hasKey)
    await expect(read(10)).rejects.toThrow('上游拒绝了余额查询: 9: bad key ***')
  })

  test('given SiliconFlow, when read, then yuan become dollars, and only code 20000 counts', async () => {
    const info = { code: 20_000, data: { totalBalance: '14.6' } }
    provide({ '/v1/user/info': info })
    expect(await read(40)).toBe('2')
    expect(origins).toEqual(['https://api.siliconflow.cn'])
    provide({ '/v1/user/info': { ...info, code: 50_001, message: 'frozen' } })
    await expect(read(40)).rejects.toThrow('50001: frozen')
  })

  test.each([
    [[{ currency: 'CNY', total_balance: '73.00' }], '10'],
    [
      [
        { currency: 'USD', total_balance: '5' },
        { currency: 'CNY', total_balance: '1' },
      ],
      '0.136986',
    ],
    [[{ currency: 'USD', total_balance: '5.5' }], '5.5'],
  ])(
    'given DeepSeek with %j, when read, then the balance is %s dollars',
    async (infos, balance) => {
      provide({ '/user/balance': { is_available: true, balance_infos: infos } })
      expect(await read(43)).toBe(balance)
    },
  )

  test('given DeepSeek without an entry, when read, then it is said which is missing', async () => {
    provide({ '/user/balance': { balance_infos: [] } })
    await expect(read(43)).rejects.toThrow('currency CNY not found')
  })

  test.each([2, 3, 14, 24, 42])(
    'given type %i, when read, then it has no balance',
    async (type) => {
      await expect(read(type, 'https://a.example')).rejects.toThrow('尚未实现')
      expect(upstream.asked).toEqual([])
    },
  )
})

describe('an upstream that misbehaves', () => {
  const BY_TYPE = [1, 8, 10, 12, 13, 40, 43]

  test.each(BY_TYPE)(
    'given type %i, when upstream refuses, falls silent or answers rubbish, then no balance is made up',
    async (type) => {
      const reading = () => read(type, type === 8 ? 'https://other.example/v1/x' : '')
      upstream.behave((response) => answer(response, 401, '{}'))
      await expect(reading()).rejects.toThrow('status code: 401')
      upstream.behave((response) => answer(response, 302, ''))
      await expect(reading()).rejects.toThrow('status code: 302')
      upstream.behave((response) => answer(response, 200, '<html>'))
      await expect(reading()).rejects.toThrow('解析响应失败')
      for (const text of ['[]', 'null', '"12"']) {
        upstream.behave((response) => answer(response, 200, text))
        await expect(reading()).rejects.toThrow('解析响应失败')
      }
      upstream.behave((response) => answer(response, 200, '{"success":true,"code":20000}'))
      await expect(reading()).rejects.toThrow(/解析响应失败|currency CNY not found/)
      upstream.behave((response) => void response.socket?.destroy())
      await expect(reading()).rejects.toThrow('与上游的连接中断')
      upstream.behave(() => undefined)
      await expect(reading()).rejects.toThrow('上游未在规定时间内响应')
    },
  )

  test.each([true, 'much', '1e999', '', null, [1], '9'.repeat(60)])(
    'given %j for an amount, when read, then it is no balance',
    async (amount) => {
      provide({ '/dashboard/billing/credit_grants': { total_remaining: amount } })
      await expect(read(12)).rejects.toThrow('解析响应失败: 上游的响应中没有金额 total_remaining')
    },
  )

  test('given an endless stream for an answer, when read, then it is given up', async () => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    })
    await expect(read(43)).rejects.toThrow('上游返回的是事件流')
  })
})
