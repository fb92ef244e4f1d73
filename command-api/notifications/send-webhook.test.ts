import { createHmac } from 'node:crypto'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { expect, test } from 'vitest'
import { type OutgoingFetch, OutgoingRefused } from '../http/outgoing-fetch.ts'
import { sendWebhook, type WebhookTarget } from './send-webhook.ts'

const NOTICE = {
  type: 'quota_exceed',
  title: '您的额度即将用尽',
  content: '{{value}}，{{value}}',
  values: ['您的额度即将用尽', '＄0.002000'],
  happenedAt: 1_767_225_600_999,
  idempotencyKey: 'key-1',
}
const PAYLOAD = {
  type: 'quota_exceed',
  title: '您的额度即将用尽',
  content: '{{value}}，{{value}}',
  values: ['您的额度即将用尽', '＄0.002000'],
  timestamp: 1_767_225_600,
}
const TARGET = { url: 'https://hooks.example.com/path-that-is-secret', secret: 'hush' }
const SIGNATURE = createHmac('sha256', 'hush').update(JSON.stringify(PAYLOAD)).digest('hex')

interface Asked {
  readonly url: string
  readonly headers: Headers
  readonly body: string
  readonly init: RequestInit
}

/** Sends the notice; answers what was asked of whom. */
async function sent(
  answer: () => Response | Promise<Response>,
  target: WebhookTarget = TARGET,
  worker = '',
): Promise<Asked> {
  const asked: Asked[] = []
  const fetch: OutgoingFetch = async (url, init = {}) => {
    asked.push({
      url: String(url),
      headers: new Headers(init.headers),
      body: init.body as string,
      init,
    })
    return answer()
  }
  const options = {
    current: () => optionsFrom([['WorkerUrl', worker]]),
    secret: (key: string) => (key === 'WorkerValidKey' ? 'worker key' : ''),
  }
  await sendWebhook({ fetch, options }, NOTICE, target)
  const [only, ...others] = asked
  if (only === undefined || others.length > 0) throw new Error(`${asked.length} requests`)
  return only
}
const fine = () => new Response('ignored', { status: 202 })

test('given a webhook with a secret, when posted, then the body is signed and bounded in time', async () => {
  const { url, headers, body, init } = await sent(fine)
  expect(url).toBe(TARGET.url)
  expect(JSON.parse(body)).toEqual(PAYLOAD)
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('authorization')).toBe('Bearer hush')
  expect(headers.get('x-webhook-signature')).toBe(SIGNATURE)
  expect(headers.get('idempotency-key')).toBe('key-1')
  expect(init.redirect).toBe('manual')
  expect(init.signal).toBeInstanceOf(AbortSignal)
})

test('given a webhook without a secret, when posted, then nothing is signed', async () => {
  const { headers } = await sent(fine, { ...TARGET, secret: '' })
  expect(headers.has('authorization')).toBe(false)
  expect(headers.has('x-webhook-signature')).toBe(false)
})

test('given a worker, when posted, then the worker is told what to post, with its key', async () => {
  const { url, headers, body } = await sent(fine, TARGET, 'https://worker.example.com')
  expect(url).toBe('https://worker.example.com/')
  expect(headers.has('authorization')).toBe(false)
  expect(JSON.parse(body)).toEqual({
    url: TARGET.url,
    key: 'worker key',
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': 'key-1',
      Authorization: 'Bearer hush',
      'X-Webhook-Signature': SIGNATURE,
    },
    body: PAYLOAD,
  })
  // The text that the worker writes again is the one that was signed.
  const again = JSON.stringify((JSON.parse(body) as { body: unknown }).body)
  expect(createHmac('sha256', 'hush').update(again).digest('hex')).toBe(SIGNATURE)
})

test.each([[199 + 1], [204], [299]])(
  'given the answer %i, when posted, then it is delivered',
  async (status) => {
    await sent(() => new Response(null, { status }))
  },
)

test.each([[302], [400], [404], [500]])(
  'given the answer %i, when posted, then it failed and may be tried again',
  async (status) => {
    await expect(sent(() => new Response(null, { status }))).rejects.toMatchObject({
      code: 'WEBHOOK_REFUSED',
      retryable: true,
      message: `the webhook answered ${status}`,
    })
  },
)

test('given an address that must not be asked, when posted, then it failed for good', async () => {
  const refused = () => {
    throw new OutgoingRefused('ADDRESS_PRIVATE', 'hooks.example.com is not on the public internet')
  }
  await expect(sent(refused)).rejects.toMatchObject({
    code: 'WEBHOOK_ADDRESS_UNFIT',
    retryable: false,
  })
})

test.each([
  ['http://hooks.example.com/'],
  ['https://user:password@hooks.example.com/'],
  ['javascript:alert(1)'],
  ['no address'],
])('given %s, when posted, then nothing is asked, through a worker neither', async (url) => {
  for (const worker of ['', 'https://worker.example.com']) {
    await expect(sent(fine, { ...TARGET, url }, worker)).rejects.toMatchObject({
      code: 'WEBHOOK_ADDRESS_UNFIT',
      retryable: false,
    })
  }
})

test('given a server that is away, when posted, then the failure says why without the address', async () => {
  const unavailable = () => {
    const cause = Object.assign(new Error(`connect ECONNREFUSED ${TARGET.url}`), {
      code: 'ECONNREFUSED',
    })
    throw new TypeError(`fetch of ${TARGET.url} failed`, { cause })
  }
  const failed = await sent(unavailable).catch((error: unknown) => error)
  expect(failed).toMatchObject({
    code: 'WEBHOOK_UNREACHABLE',
    retryable: true,
    message: 'the webhook cannot be reached (ECONNREFUSED)',
  })
  expect((failed as Error).cause).toBeUndefined()
})
