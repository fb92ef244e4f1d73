import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  KEY,
  type RelayUnderTest,
  startRelay,
  TOKEN,
} from '@tollgate/tests/support/relay/relay-under-test.ts'
import type { TokenFacts } from '../directory/facts.ts'

let relay: RelayUnderTest
beforeAll(async () => {
  relay = await startRelay()
})
afterAll(() => relay.close())
beforeEach(() => {
  relay.directory.set({})
  relay.directory.tokens.set(KEY, TOKEN)
  relay.figures = { token: null, user: { remaining: 0, used: 0 } }
})

const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { code: string } }).error.code

const ask = async (what: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${relay.url}${what}`, { headers: { authorization: `Bearer sk-${KEY}`, ...headers } })
const EXPIRES = 1_800_000_000
const limited = { ...TOKEN.terms, unlimited: false, expiresAt: EXPIRES * 1000 }
const SUBSCRIPTION = '/dashboard/billing/subscription'
const USAGE = '/dashboard/billing/usage'

test.each<[string, Record<string, string>, TokenFacts['terms'], number, number, number]>([
  ['of a limited token, in dollars', {}, limited, 1, EXPIRES, 20],
  [
    'of a limited token, in quota',
    { DisplayInCurrencyEnabled: 'false' },
    limited,
    500_000,
    EXPIRES,
    10_000_000,
  ],
  [
    'of an unlimited token',
    {},
    { ...limited, unlimited: true, expiresAt: null },
    100_000_000,
    0,
    20,
  ],
  [
    'of the user, in dollars',
    { DisplayTokenStatEnabled: 'false' },
    { ...limited, unlimited: true },
    3,
    0,
    100,
  ],
  [
    'of the user, in quota of another size',
    { DisplayTokenStatEnabled: 'false', DisplayInCurrencyEnabled: 'false', QuotaPerUnit: '1000' },
    limited,
    1_500_000,
    0,
    50_000_000,
  ],
])(
  '%s: when asked for, then as OpenAI would say it',
  async (_, options, terms, limit, until, used) => {
    relay.directory.set(options)
    relay.directory.tokens.set(KEY, { ...TOKEN, terms })
    relay.figures = {
      token: { remaining: 400_000, used: 100_000 },
      user: { remaining: 1_000_000, used: 500_000 },
    }
    for (const prefix of ['', '/v1']) {
      const subscription = await ask(`${prefix}${SUBSCRIPTION}`)
      expect(subscription.headers.get('access-control-allow-origin')).toBe('*')
      expect(await subscription.json()).toEqual({
        object: 'billing_subscription',
        has_payment_method: true,
        soft_limit_usd: limit,
        hard_limit_usd: limit,
        system_hard_limit_usd: limit,
        access_until: until,
      })
      const usage = await ask(`${prefix}${USAGE}?start_date=2026-01-01&end_date=x`)
      expect(await usage.json()).toEqual({ object: 'list', total_usage: used })
    }
  },
)

test('given the addresses under /v1, when asked for, then they say the same', async () => {
  relay.figures = { token: { remaining: 1, used: 1 }, user: { remaining: 400_000, used: 100_000 } }
  const said = async (what: string): Promise<unknown> => (await ask(what)).json()
  expect(await said('/v1/dashboard/billing/subscription')).toEqual(await said(SUBSCRIPTION))
  expect(await said('/v1/dashboard/billing/usage')).toEqual(await said(USAGE))
})

test('given no, an unknown, a foreign or a too new key, when asked for, then it is refused', async () => {
  const refusedBy = async (response: Promise<Response>) => [
    (await response).status,
    await codeOf(await response),
  ]
  expect(await refusedBy(ask(USAGE, { authorization: '' }))).toEqual([401, 'missing_api_key'])
  const unknown = { authorization: `Bearer sk-${'z'.repeat(48)}` }
  expect(await refusedBy(ask(SUBSCRIPTION, unknown))).toEqual([401, 'invalid_api_key'])
  expect(await refusedBy(ask(USAGE))).toEqual([503, 'temporarily_unavailable'])
  relay.directory.tokens.set(KEY, { ...TOKEN, terms: { ...limited, allowedIps: ['10.9.9.9'] } })
  expect(await refusedBy(ask(USAGE))).toEqual([403, 'ip_not_allowed'])
  expect((await fetch(relay.url + USAGE, { method: 'OPTIONS' })).status).toBe(204)
})
