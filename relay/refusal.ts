import type { JsonObject } from './json.ts'

/**
 * The error type of every refusal that Tollgate itself gives (relay-and-billing.md 1.4); `code` says what it is. A
 * gateway in front of Tollgate disables its whole channel at types such as permission_error or insufficient_quota,
 * which would be right for a bad upstream key and is wrong for one client's token.
 */
export const OWN_ERROR_TYPE = 'new_api_error'

/**
 * A refusal of a request, as a value: HTTP status, error type and code, and a text with the remedy. Every step of the
 * pipeline returns either the input of the next step or one of these.
 */
export interface Refusal {
  readonly refused: true
  readonly status: number
  readonly type: string
  readonly code: string
  readonly message: string
  /** The request field that is wrong; '' = none in particular. */
  readonly param: string
  /** Null = the client gets no time to come back. */
  readonly retryAfterSeconds: number | null
  /** The request was answered and will be charged: official SDKs must not send it again by themselves. */
  readonly mustNotRepeat: boolean
  /** Members of upstream's own error, for clients of a protocol whose errors are objects like it. */
  readonly members: JsonObject
  /** Upstream's headers that go with its error. */
  readonly headers: Readonly<Record<string, string>>
}

/** A refusal of ours, unless `type` says that it repeats upstream's own. */
export function refusal(
  status: number,
  code: string,
  message: string,
  more: Partial<
    Pick<Refusal, 'type' | 'param' | 'retryAfterSeconds' | 'mustNotRepeat' | 'headers' | 'members'>
  > = {},
): Refusal {
  return {
    refused: true,
    status,
    type: more.type ?? OWN_ERROR_TYPE,
    code,
    message,
    param: more.param ?? '',
    retryAfterSeconds: more.retryAfterSeconds ?? null,
    mustNotRepeat: more.mustNotRepeat ?? false,
    members: more.members ?? {},
    headers: more.headers ?? {},
  }
}

/** Whether a step's answer is a refusal. */
export const isRefusal = (answer: object): answer is Refusal => 'refused' in answer
