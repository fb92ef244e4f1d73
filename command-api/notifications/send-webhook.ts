import { createHmac } from 'node:crypto'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { type OutgoingFetch, OutgoingRefused } from '../http/outgoing-fetch.ts'
import { DeliveryFailed } from './delivery-failed.ts'
import type { NoticeText } from './notifier.ts'

export interface WebhookDeps {
  readonly fetch: OutgoingFetch
  readonly options: { current(): OptionsView; secret(key: string): string }
}

export interface WebhookNotice extends NoticeText {
  readonly type: string
  /** Unix milliseconds. */
  readonly happenedAt: number
  /** The same for every attempt: receivers that keep it see a notice once. */
  readonly idempotencyKey: string
}

export interface WebhookTarget {
  readonly url: string
  /** '' = nothing is signed. */
  readonly secret: string
}

/** For the whole exchange (console-api 5.3). */
const TIMEOUT_MS = 5_000

/**
 * Posts a notice to a webhook (console-api 5.3): any 2xx is a success, a redirect is none. With a WorkerUrl the worker
 * posts it instead, so that this server's address stays unknown. Fails with DeliveryFailed.
 */
export async function sendWebhook(
  { fetch, options }: WebhookDeps,
  notice: WebhookNotice,
  { url, secret }: WebhookTarget,
): Promise<void> {
  if (!isHttpsAddress(url)) {
    throw new DeliveryFailed('WEBHOOK_ADDRESS_UNFIT', 'the webhook is no https address', false)
  }
  const payload = {
    type: notice.type,
    title: notice.title,
    content: notice.content,
    ...(notice.values.length > 0 && { values: notice.values }),
    timestamp: Math.floor(notice.happenedAt / 1000),
  }
  const body = JSON.stringify(payload)
  const headers = {
    'Content-Type': 'application/json',
    'Idempotency-Key': notice.idempotencyKey,
    ...(secret !== '' && {
      Authorization: `Bearer ${secret}`,
      'X-Webhook-Signature': createHmac('sha256', secret).update(body).digest('hex'),
    }),
  }
  const worker = options.current().text('WorkerUrl')
  if (worker === '') return post(fetch, { url, headers, body, who: 'the webhook' })
  const webhookRequest = {
    url,
    key: options.secret('WorkerValidKey'),
    method: 'POST',
    headers,
    // Written again by the worker, in the same order: the signature holds.
    body: payload,
  }
  const json = { 'Content-Type': 'application/json' }
  return post(fetch, {
    url: `${worker}/`,
    headers: json,
    body: JSON.stringify(webhookRequest),
    who: 'the worker',
  })
}

async function post(
  fetch: OutgoingFetch,
  {
    url,
    headers,
    body,
    who,
  }: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly who: string
  },
): Promise<void> {
  let answer: Response
  try {
    answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (error) {
    if (error instanceof OutgoingRefused) {
      throw new DeliveryFailed('WEBHOOK_ADDRESS_UNFIT', `${who}: ${error.message}`, false, error)
    }
    // Without the cause, which is logged with it: fetch quotes addresses and headers, and they are secrets.
    throw new DeliveryFailed('WEBHOOK_UNREACHABLE', `${who} ${connectionProblem(error)}`, true)
  }
  // The body of the answer does not matter, and must not keep the connection.
  await answer.body?.cancel()
  if (!answer.ok) {
    throw new DeliveryFailed('WEBHOOK_REFUSED', `${who} answered ${answer.status}`, true)
  }
}

/** By code alone. */
function connectionProblem(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be reached'
  if (error.name === 'TimeoutError') return `did not answer within ${TIMEOUT_MS / 1000} s`
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return `cannot be reached${code}`
}

/** Whether notices can be posted to an address as written. */
export const isHttpsAddress = (written: string): boolean => {
  if (!URL.canParse(written)) return false
  const { protocol, username, password } = new URL(written)
  // fetch takes no name and password in an address.
  return protocol === 'https:' && username === '' && password === ''
}
