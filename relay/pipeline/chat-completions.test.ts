import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { eventually, USER, textUntilBreak } from '@tollgate/tests/support/relay/relay-under-test.ts'

const { relay, upstream } = await openRelayFixture()

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const ANSWER =
  '{"id":"c1", "object":"chat.completion","model":"gpt-4o-mini","choices":[{"index":0,"message":{"role":"assistant","content":"Hi é"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}, "extra": 1.0}'

const json =
  (text: string, status = 200) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }

test('given a chat request, when upstream answers, then the client gets its bytes and one charge is made', async () => {
  upstream.behave(json(ANSWER))
  const body =
    '{ "model":"gpt-4o-mini", "seed": 12345678901234567890, "messages":[{"role":"user","content":"hello"}] }'
  const response = await relay.post(CHAT, body)
  expect(response.status).toBe(200)
  expect(await response.text()).toBe(ANSWER)
  expect(response.headers.get('x-oneapi-request-id')).toMatch(/^request-/)
  expect(upstream.asked[0]?.text).toBe(body)
  expect(upstream.asked[0]?.path).toBe(CHAT)
  expect(upstream.asked[0]?.headers.authorization).toBe('Bearer upstream-key-1')
  // gpt-4o-mini: ratio 0.075, completion ratio 4.
  expect(relay.holds.settled.map(({ amount }) => amount)).toEqual([225])
  expect(relay.holds.settled[0]?.request).toMatchObject({
    channel: 1,
    model: 'gpt-4o-mini',
    upstreamModel: 'gpt-4o-mini',
    group: USER.group,
    endpoint: CHAT,
    stream: false,
    estimated: false,
    cancelled: false,
    attempts: [{ channel: 1, status: 200, code: null, why: null, usage: null }],
  })
  expect(relay.holds.reserved).toBe(0)
  expect(relay.failures).toEqual([])
})

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`
const LAST = `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`
const USAGE = `data: {"id":"c","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}\n\n`
const DONE = 'data: [DONE]\n\n'

const events =
  (...parts: readonly string[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) response.write(part)
    response.end()
  }

test('given a stream, when its client asks for no usage, then usage is charged and not shown', async () => {
  upstream.behave(events(chunk({ content: 'Hi' }), LAST, USAGE, DONE))
  const response = await relay.post(CHAT, { ...HELLO, stream: true })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  expect(await response.text()).toBe(chunk({ content: 'Hi' }) + LAST + DONE)
  expect(JSON.parse(upstream.asked[0]?.text ?? '')).toEqual({
    ...HELLO,
    stream: true,
    stream_options: { include_usage: true },
  })
  // (10 + 20 × 4) × 0.075 = 6.75
  expect(relay.holds.settled).toMatchObject([
    { amount: 7, request: { stream: true, estimated: false } },
  ])
})

test('given an answer and a stream, when charged, then what upstream told of them is kept as it came', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
    response.end(
      '{"id":"chatcmpl-1","model":"gpt-4o-mini-2024-07-18","service_tier":"flex","choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":10,"completion_tokens":2,"new_kind":{"x":1}}}',
    )
  })
  await (await relay.post(CHAT, HELLO)).text()
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_2' })
    response.end(chunk({ content: 'Hi' }, { service_tier: 'priority' }) + LAST + USAGE + DONE)
  })
  await (await relay.post(CHAT, { ...HELLO, stream: true })).text()
  expect(relay.holds.settled.map(({ request }) => request.upstream)).toEqual([
    {
      requestId: 'req_1',
      responseId: 'chatcmpl-1',
      model: 'gpt-4o-mini-2024-07-18',
      serviceTier: 'flex',
      speed: null,
      region: null,
      usage: '{"prompt_tokens":10,"completion_tokens":2,"new_kind":{"x":1}}',
      isUsageCut: false,
    },
    {
      requestId: 'req_2',
      responseId: 'c',
      model: 'm',
      serviceTier: 'priority',
      speed: null,
      region: null,
      usage: '{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}',
      isUsageCut: false,
    },
  ])
})

test('given a stream, when the charge is not durable in time, then no [DONE] but an error ends it', async () => {
  upstream.behave(events(chunk({ content: 'Hi' }), LAST, USAGE, DONE))
  let recover: () => void = () => undefined
  relay.holds.journal = new Promise((resolve) => {
    recover = resolve
  })
  const text = await textUntilBreak(await relay.post(CHAT, { ...HELLO, stream: true }))
  expect(text).toContain('charge_not_durable')
  expect(text).not.toContain('[DONE]')
  recover()
  relay.holds.journal = Promise.resolve()
  expect(relay.holds.settled).toHaveLength(1)
})

test('given a stream without usage, when it was asked for, then it is counted, marked and shown', async () => {
  upstream.behave(events(chunk({ content: 'Hello there, friend' }), LAST, DONE))
  const text = await (
    await relay.post(CHAT, { ...HELLO, stream: true, stream_options: { include_usage: true } })
  ).text()
  expect(text).toMatch(
    /"choices":\[\],"usage":\{"prompt_tokens":8,"completion_tokens":4,"total_tokens":12\}\}\n\ndata: \[DONE\]\n\n$/,
  )
  expect(relay.holds.settled[0]?.request).toMatchObject({ estimated: true })
})

test('given a stream, when the client leaves, then upstream is aborted and the delivered part is charged', async () => {
  let isAborted = false
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ content: 'one two three' }))
    response.on('close', () => {
      isAborted = true
    })
  })
  const leaving = new AbortController()
  const response = await fetch(relay.url + CHAT, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer sk-${'k'.repeat(48)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...HELLO, stream: true }),
  })
  await response.body?.getReader().read()
  leaving.abort()
  await eventually(() => relay.holds.settled.length === 1 && isAborted)
  expect(relay.holds.settled[0]?.request).toMatchObject({ cancelled: true, estimated: true })
  expect(relay.failures).toMatchObject([{ status: 499 }])
})

test.each([
  ['true', '500000', '＄0.010000', /need quota: ＄\d+\.\d{6} \(request id/],
  ['true', '1000000', '＄0.005000', /need quota: ＄\d+\.\d{6} \(request id/],
  ['false', '500000', '5000', /need quota: \d+ \(request id/],
])(
  'given amounts in currency %s at %s a dollar, when quota is short, then the refusal shows %s',
  async (inCurrency, perUnit, available, need) => {
    relay.directory.set({ DisplayInCurrencyEnabled: inCurrency, QuotaPerUnit: perUnit })
    relay.holds.available = 5_000
    const response = await relay.post(CHAT, { ...HELLO, max_tokens: 1_000_000 })
    expect(response.status).toBe(403)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toContain(`user quota: ${available}, need quota: `)
    expect(error.message).toMatch(need)
  },
)

test('given a request, when no quota is left, then it is refused before upstream hears of it', async () => {
  relay.holds.available = 3
  const response = await relay.post(CHAT, { ...HELLO, max_tokens: 1_000 })
  expect(response.status).toBe(403)
  const body = await response.json()
  expect(body).toMatchObject({
    error: { type: 'new_api_error', code: 'insufficient_user_quota' },
  })
  expect(upstream.asked).toHaveLength(0)
  expect(relay.failures).toMatchObject([
    { status: 403, errorCode: 'insufficient_user_quota', model: 'gpt-4o-mini' },
  ])
})
