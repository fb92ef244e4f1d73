/**
 * Why a request is not served, as a value: HTTP status, OpenAI's error type and code, and a text that says what to do.
 * Every step of the pipeline returns either what the next step needs or one of these.
 */
export interface Refusal {
  readonly refused: true
  readonly status: number
  readonly type: string
  readonly code: string
  readonly message: string
  /** The request field that is wrong; '' = none in particular. */
  readonly param: string
  /** Null = the client is not told when to come back. */
  readonly retryAfterSeconds: number | null
  /** The request was answered and will be charged: official SDKs must not send it again by themselves. */
  readonly mustNotRepeat: boolean
}

/** A refusal; the error type follows from the status as OpenAI has it unless given. */
export function refusal(
  status: number,
  code: string,
  message: string,
  more: Partial<Pick<Refusal, 'type' | 'param' | 'retryAfterSeconds' | 'mustNotRepeat'>> = {},
): Refusal {
  return {
    refused: true,
    status,
    type: more.type ?? typeOfStatus(status),
    code,
    message,
    param: more.param ?? '',
    retryAfterSeconds: more.retryAfterSeconds ?? null,
    mustNotRepeat: more.mustNotRepeat ?? false,
  }
}

/** Tells a refusal from what a step would have answered. */
export const isRefusal = (answer: object): answer is Refusal => 'refused' in answer

function typeOfStatus(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
