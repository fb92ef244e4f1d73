import { readFile } from 'node:fs/promises'
import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  TOKEN,
  USER,
} from '../support/relay/relay-under-test.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../support/engines/database.ts'

/** Texts that clients and upstreams write: none that PostgreSQL cannot hold, or that is endless, becomes part of an event. */
let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => {
  startAfresh(relay, upstream)
  relay.directory.tokens.set(KEY, TOKEN)
  upstream.behave((response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}',
      )
  })
})

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }

/** Whether PostgreSQL's jsonb, and a terminal, can take a text. */
const isFit = (text: string): boolean => !/[^\P{Cc}\t\n]/u.test(text) && text.isWellFormed()

/** The record of a request, as events hold it. */
const storedOf = (): string =>
  JSON.stringify([relay.holds.settled, relay.failures, relay.reports, relay.trials])

function expectFit(charactersMax = 10_000): void {
  const stored = storedOf()
  expect(stored.length).toBeLessThan(charactersMax)
  JSON.parse(stored, (_key, value: unknown) => {
    if (typeof value === 'string' && !isFit(value)) throw new Error(JSON.stringify(value))
    return value
  })
}

const NASTY: ReadonlyArray<readonly [string, string]> = [
  ['a NUL', 'lo\u0000w'],
  ['half a character', 'low\ud83d'],
  ['a character that the cut parts', `${'l'.repeat(19)}😀`],
  ['a terminal’s command', 'lo\u001b[2Jw'],
  ['a megabyte', 'l'.repeat(500_000)],
]

describe.each(NASTY)('given %s', (_what, text) => {
  test('as reasoning effort, when charged, then the event can be stored', async () => {
    const answer = await relay.post(CHAT, { ...HELLO, reasoning_effort: text })
    // A member that is no text of the prompt has 16 KiB: more is refused before anything is asked or charged.
    const isServed = text.length < 16_000
    expect(answer.status).toBe(isServed ? 200 : 400)
    expect(relay.holds.settled).toHaveLength(isServed ? 1 : 0)
    expectFit()
  })

  test('as a custom GPT or a model of an admin’s pinned channel, when sent, then it never becomes an event', async () => {
    relay.directory.tokens.set(KEY, { ...TOKEN, user: { ...USER, role: 10 } })
    for (const model of [`gpt-4-gizmo-${text}`, text]) {
      const headers = { authorization: `Bearer sk-${KEY}-1` }
      await relay.post(CHAT, { ...HELLO, model }, headers)
    }
    expectFit(20_000)
  })

  test.each(['message', 'type', 'code', 'param'])(
    'as %s of upstream’s error, when it is noted, then the event can be stored',
    async (field) => {
      upstream.behave((response) => {
        const error = { message: 'no', [field]: text }
        response.writeHead(500).end(JSON.stringify({ error }))
      })
      const response = await relay.post(CHAT, HELLO)
      expect((await response.text()).length).toBeLessThan(2_000)
      expect(relay.failures).toHaveLength(1)
      expectFit()
    },
  )

  test('as the model that a channel maps to, when charged, then the event can be stored', async () => {
    const modelMapping = JSON.stringify({ 'gpt-4o-mini': text.slice(0, 200) })
    relay.directory.add(1, { baseUrl: upstream.url, modelMapping })
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
    expectFit()
  })
})

test.each([
  ['text/html', 'application/json'],
  ['application/json; charset=utf-8', 'application/json; charset=utf-8'],
  [`application/json; x=${'y'.repeat(200)}`, 'application/json'],
])(
  'given an answer that upstream calls %s, when delivered, then it is called %s',
  async (said, told) => {
    upstream.behave((response) => {
      response
        .writeHead(200, { 'content-type': said })
        .end('{"choices":[{"message":{"content":"Hi"}}]}')
    })
    expect((await relay.post(CHAT, HELLO)).headers.get('content-type')).toBe(told)
  },
)

test.each([
  ['30', '30'],
  ['1e300', '86400'],
  ['-1', null],
  ['Infinity', '86400'],
  ['soon', null],
  ['0.4', '1'],
  ['Tue, 24 Nov 2026 10:00:30 GMT', '30'],
  ['Tue, 24 Nov 2026 09:00:00 GMT', null],
])(
  'given an upstream that says to come back in %s seconds, when told, then %s',
  async (said, told) => {
    upstream.behave(
      (response) =>
        void response
          .writeHead(429, { 'retry-after': said, date: 'Tue, 24 Nov 2026 10:00:00 GMT' })
          .end('{}'),
    )
    expect((await relay.post(CHAT, HELLO)).headers.get('retry-after')).toBe(told)
  },
)

test('given a log with a NUL of before, when the docs’ query is asked, then it adds up', async () => {
  const readme = await readFile(new URL('../../docs/proof.md', import.meta.url), 'utf8')
  const query = /npm run sql -- "(\nwith ledger[^"]+)"/u.exec(readme)?.[1]
  const database = await createTestDatabase()
  try {
    await database.pool.query(`
      create schema ledger; create schema usage_log; create schema balances;
      create table ledger.events (stream text, type text, data text);
      create table usage_log.rows (user_id bigint, quota bigint, type int);
      create table balances.accounts (user_id bigint, posted bigint);
      insert into usage_log.rows values (7, 5, 2);
      insert into balances.accounts values (7, 95)`)
    const charged = {
      at: 1,
      token: 3,
      amount: 5,
      request: { reasoningEffort: 'lo\u0000"amount":9w' },
    }
    for (const [type, data] of [
      ['AccountOpened', { at: 1 }],
      ['QuotaCredited', { at: 1, amount: 100, reason: '' }],
      ['UsageCharged', charged],
    ] as const) {
      const values = ['account-7', type, JSON.stringify(data)]
      await database.pool.query('insert into ledger.events values ($1, $2, $3)', values)
    }
    const { rows } = await database.pool.query(String(query))
    expect(rows).toMatchObject([{ account: 7, put_in: '100', adds_up: true }])
  } finally {
    await database.drop()
  }
})
