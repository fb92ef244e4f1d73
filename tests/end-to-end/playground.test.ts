import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { expectBalancedBooks } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/** Tests of calls that need no token or only ask about one: the playground, and a key's billing figures. */
let gateway: Gateway
let user: ConsoleClient

const MODEL = 'gpt-4o-mini'
const OPENING = 50_000_000
const FORM = {
  model: MODEL,
  group: 'default',
  messages: [{ role: 'user', content: 'hello' }],
  max_tokens: 0,
  temperature: 0,
}

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  user = await gateway.root.addUser('player', 'long-enough-2', OPENING)
})
afterAll(() => gateway.stop())

test('given a session, when it chats with and without a stream, then the account alone pays', async () => {
  const { result, rows } = await user.chargesOf(2, async () => {
    const streamed = await user.play({ ...FORM, stream: true })
    expect(streamed.headers.get('content-type')).toContain('text/event-stream')
    const whole = await user.play({ ...FORM, stream: false })
    return { streamed: await streamed.text(), whole: await whole.json() }
  })
  expect(result.streamed).toMatch(/"delta":\{.*"content"/)
  expect(result.streamed.trimEnd().endsWith('data: [DONE]')).toBe(true)
  expect(result.whole).toMatchObject({ choices: [{ message: { role: 'assistant' } }] })
  expect(rows.map((row) => row.token_name)).toEqual(['playground-default', 'playground-default'])
  expect(new Set(rows.map((row) => row.is_stream))).toEqual(new Set([false, true]))
  const spent = rows.reduce((sum, { quota }) => sum + quota, 0)
  expect(spent).toBeGreaterThan(0)
  await until('the balance shows it', async () => (await user.self()).quota === OPENING - spent)
  const named = await user.logs({ token_name: 'playground-default', type: '2' })
  expect(named.map(({ event_id }) => event_id)).toEqual(rows.map(({ event_id }) => event_id))
})

test('given nobody, or somebody else’s id, when they chat, then nothing is asked of upstream', async () => {
  gateway.upstream.forget()
  const anonymous = await fetch(`${gateway.product.url}/pg/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(FORM),
  })
  expect(anonymous.status).toBe(401)
  const withAccessToken = await fetch(`${gateway.product.url}/pg/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'some-access-token', 'new-api-user': String(user.userId) },
    body: JSON.stringify(FORM),
  })
  expect(withAccessToken.status).toBe(400)
  expect(await withAccessToken.json()).toMatchObject({
    error: { code: 'access_token_not_supported', type: 'new_api_error' },
  })
  expect(gateway.upstream.received()).toBe(0)
})

test('given a token that has spent, when its client asks for billing, then it says what is left', async () => {
  const QUOTA_PER_DOLLAR = 500_000
  const limit = 2 * QUOTA_PER_DOLLAR
  const { key } = await user.createToken({
    name: 'billed',
    unlimited_quota: false,
    remain_quota: limit,
  })
  const { rows } = await user.chargesOf(1, () =>
    gateway.openai(key).chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'hello' }],
    }),
  )
  const used = rows[0]?.quota ?? 0
  const ask = async <Data>(what: string, data: z.ZodType<Data>): Promise<Data> => {
    const answer = await gateway.relay(`/v1/dashboard/billing/${what}`, {
      headers: { authorization: `Bearer sk-${key}` },
    })
    return data.parse(await answer.json())
  }
  await until('the key shows what it has used', async () => {
    const { total_usage: cents } = await ask('usage', z.object({ total_usage: z.number() }))
    return cents === (used * 100) / QUOTA_PER_DOLLAR
  })
  const subscription = z.object({ hard_limit_usd: z.number(), access_until: z.number() })
  expect(await ask('subscription', subscription)).toEqual({ hard_limit_usd: 2, access_until: 0 })
})

test('after all of it, ledger, log and balances agree', () =>
  expectBalancedBooks(gateway.product, gateway.root, [user]))
