import type { TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import { isBanWorthy } from '@tollgate/domain/channel/ban.ts'
import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { defaultText } from '@tollgate/domain/settings/catalogue.ts'
import {
  eventually,
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  textUntilBreak,
  TOKEN,
} from '../support/relay/relay-under-test.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

/**
 * A gateway of the same kind stands in front of Tollgate and holds one of its tokens as the key of a channel. A refusal
 * to that token must not make the gateway disable the channel for everybody (relay-and-billing.md 3.3); only a key that
 * is no good does.
 */
let front: RelayUnderTest
let tollgate: RelayUnderTest
let upstream: FakeUpstream

const MODEL = 'gpt-4o-mini'
const KEYWORDS = defaultText('AutomaticDisableKeywords').split('\n')
const HELLO = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }

beforeAll(async () => {
  // Before a stream is cut, what was delivered is counted: the counter's first words may take a busy machine seconds.
  front = await startRelay({ idleMs: 30_000 })
  tollgate = await startRelay({ idleMs: 30_000 })
  upstream = await startUpstream()
})
afterAll(async () => {
  await front.close()
  await tollgate.close()
  await upstream.close()
})
beforeEach(() => {
  startAfresh(tollgate, upstream)
  upstream.behave((response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}',
      )
  })
  tollgate.directory.tokens.clear()
  allow({})
  front.directory.channels.clear()
  front.reports.length = 0
  channelWith(KEY)
})

/** The front's channel, with `key` as its key of Tollgate. */
const channelWith = (key: string, terms: Partial<ChannelTerms> = {}): void => {
  const models = [MODEL, 'gpt-4o']
  front.directory.add(1, { baseUrl: tollgate.url, models, ...terms }, { key: `sk-${key}` })
}

/** Changes what the front's token may do. */
const allow = (terms: Partial<TokenTerms>): void => {
  tollgate.directory.tokens.set(KEY, { ...TOKEN, terms: { ...TOKEN.terms, ...terms } })
}

interface Answered {
  readonly status: number
  readonly type: string
  readonly code: string
}

/** A client's request through both; how Tollgate's refusal arrives. */
async function refusedTo(body: object): Promise<Answered> {
  const response = await front.post('/v1/chat/completions', body)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const text = isStream ? await textUntilBreak(response) : await response.text()
  const { error } = JSON.parse(text.slice(text.indexOf('{"error"')).trim())
  return { status: response.status, type: error.type, code: error.code }
}

/** Whether the gateway in front now disables its channel. */
const isDisabled = (): boolean =>
  front.reports.some(({ upstreamStatus, errorType, errorCode, message }) =>
    isBanWorthy(
      { channelType: 1, status: upstreamStatus, type: errorType, code: errorCode, message },
      KEYWORDS,
    ),
  )

const harmless: ReadonlyArray<readonly [string, () => object | void, number, string]> = [
  [
    'a model that the token may not use',
    () => allow({ models: ['other'] }),
    403,
    'model_not_allowed',
  ],
  [
    'an address that the token may not use',
    () => allow({ allowedIps: ['203.0.113.9'] }),
    403,
    'ip_not_allowed',
  ],
  ['a group that is gone', () => allow({ group: 'gone' }), 403, 'group_not_allowed'],
  [
    'too little quota',
    () => {
      tollgate.holds.available = 1
    },
    403,
    'insufficient_user_quota',
  ],
  [
    'an owner that cannot be asked',
    () => {
      tollgate.holds.isUnavailable = true
    },
    503,
    'quota_unavailable',
  ],
  [
    'too many requests',
    () =>
      tollgate.directory.set({
        ModelRequestRateLimitEnabled: 'true',
        ModelRequestRateLimitCount: '1',
      }),
    429,
    'rate_limit_exceeded',
  ],
  [
    'a sensitive word',
    () => tollgate.directory.set({ SensitiveWords: 'hello' }),
    400,
    'sensitive_words_detected',
  ],
  [
    'a model without a price',
    () => {
      tollgate.directory.add(1, { baseUrl: upstream.url, models: ['gpt-4o'] })
      tollgate.directory.set({ ModelRatio: '{}' })
      return { ...HELLO, model: 'gpt-4o' }
    },
    400,
    'model_price_error',
  ],
  ['a model that nobody serves', () => ({ ...HELLO, model: 'gpt-4o' }), 404, 'model_not_found'],
  [
    'a member that the channel in front makes wrong',
    () => channelWith(KEY, { paramOverride: '{"n":0.5}' }),
    400,
    'invalid_text_request',
  ],
  [
    'a channel that has gone',
    () => tollgate.directory.add(1, { baseUrl: 'http://127.0.0.1:1' }),
    502,
    'upstream_unreachable',
  ],
]
describe('given a gateway in front, when Tollgate refuses', () => {
  test.each(harmless)('%s, then its channel stays', async (_what, prepare, status, code) => {
    const body = prepare() ?? HELLO
    // The rate limit lets one pass.
    if (code === 'rate_limit_exceeded') await front.post('/v1/chat/completions', body)
    const told = await refusedTo(body)
    expect(told).toMatchObject({ code })
    if (status < 500) expect(told).toEqual({ status, type: 'new_api_error', code })
    expect(front.reports.at(-1)).toMatchObject({ upstreamStatus: status, errorCode: code })
    expect(isDisabled()).toBe(false)
  })

  test('more of a stream than there is quota for, then its channel stays', async () => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const delta = { content: 'word '.repeat(50) }
      const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
      for (let count = 0; count < 200; count++) response.write(chunk)
    })
    tollgate.holds.available = 500
    const told = await refusedTo({ ...HELLO, stream: true })
    expect(told).toMatchObject({ type: 'new_api_error', code: 'insufficient_user_quota' })
    await eventually(() => front.reports.length > 0)
    expect(isDisabled()).toBe(false)
  })

  test.each([
    ['unknown', 'x'.repeat(48), 'invalid_api_key'],
    ['no', '', 'missing_api_key'],
  ])('%s key, then its channel is disabled by the status alone', async (_what, key, code) => {
    channelWith(key)
    expect(await refusedTo(HELLO)).toEqual({ status: 401, type: 'new_api_error', code })
    expect(front.reports.at(-1)).toMatchObject({ upstreamStatus: 401 })
    expect(isDisabled()).toBe(true)
  })
})
