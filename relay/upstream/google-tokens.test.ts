import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type GoogleUnderTest,
  googleUnderTest,
} from '@tollgate/tests/support/relay/google-under-test.ts'
import { type FakeUpstream, startUpstream } from '@tollgate/tests/support/relay/relay-under-test.ts'
import { type Dispatchers, makeDispatchers } from './dispatchers.ts'
import { dropGoogleToken, googleToken } from './google-tokens.ts'

let upstream: FakeUpstream
let dispatchers: Dispatchers
beforeAll(async () => {
  upstream = await startUpstream()
  dispatchers = makeDispatchers(2_000)
})
afterAll(async () => {
  await dispatchers.close()
  await upstream.close()
})

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** A service account of its own, whose tokens are asked for at the moment `clock.ms`. */
function account() {
  const google = googleUnderTest()
  const clock = { ms: 0, now: () => clock.ms }
  const owner = { key: google.key(upstream.url), proxy: '' }
  upstream.behave((response, asked) => void google.answersToken(response, asked))
  const limits = { firstByteMs: 2_000, idleMs: 2_000 }
  return { google, clock, owner, ask: () => googleToken(owner, { dispatchers, clock, limits }) }
}
const asksOf = (google: GoogleUnderTest): number => google.asked.length

test('given many requests at once, when none has a token, then one is asked for and all have it', async () => {
  const { google, ask } = account()
  const tokens = await Promise.all(Array.from({ length: 20 }, async () => ask()))
  expect(new Set(tokens)).toEqual(new Set(['ya29.token-1']))
  expect(asksOf(google)).toBe(1)
  expect(ask()).toBe('ya29.token-1')
})

test('given a token near its end, when shown, then it is renewed beside, once, and used until then', async () => {
  const { google, clock, ask } = account()
  google.lifeSeconds = 3_600
  await ask()
  clock.ms = 54 * MINUTE_MS
  expect(ask()).toBe('ya29.token-1')
  expect(asksOf(google)).toBe(1)
  clock.ms = 55 * MINUTE_MS
  expect([ask(), ask(), ask()]).toEqual(['ya29.token-1', 'ya29.token-1', 'ya29.token-1'])
  await expect.poll(() => ask()).toBe('ya29.token-2')
  expect(asksOf(google)).toBe(2)
})

test('given Google away when a token is due, when shown, then it is used to its end, with few attempts', async () => {
  const { google, clock, ask } = account()
  await ask()
  google.refuses = true
  clock.ms = 56 * MINUTE_MS
  expect(ask()).toBe('ya29.token-1')
  await expect.poll(() => asksOf(google)).toBe(2)
  // Its answer is read before the next is looked at.
  await new Promise(setImmediate)
  expect(ask()).toBe('ya29.token-1')
  expect(asksOf(google)).toBe(2)
  clock.ms = 60 * MINUTE_MS
  expect(await ask()).toMatchObject({ status: 401, code: 'invalid_api_key' })
  google.refuses = false
  expect(await ask()).toMatch(/^ya29\./)
})

test('given a token that was refused, when dropped, then another is asked for, unless it was fresh', async () => {
  const { clock, owner, ask } = account()
  await ask()
  expect(dropGoogleToken(owner, 'ya29.token-1', clock.ms)).toBe(false)
  expect(ask()).toBe('ya29.token-1')
  clock.ms = 2 * MINUTE_MS
  expect(dropGoogleToken(owner, 'ya29.token-1', clock.ms)).toBe(true)
  expect(await ask()).toBe('ya29.token-2')
  // Another request was refused the old one as well: the new one stays.
  expect(dropGoogleToken(owner, 'ya29.token-1', clock.ms)).toBe(true)
  expect(ask()).toBe('ya29.token-2')
})

test.each([
  ['no JSON', 'text/plain', 'hello'],
  ['no token', 'application/json', '{"expires_in":3599}'],
  ['a token that is no header', 'application/json', '{"access_token":"a\\r\\nb"}'],
])(
  'given a token server that sends %s, when asked, then 502 says so',
  async (_what, type, body) => {
    const { ask } = account()
    upstream.behave((response) => void response.writeHead(200, { 'content-type': type }).end(body))
    expect(await ask()).toMatchObject({ status: 502, message: expect.stringContaining('no token') })
  },
)
