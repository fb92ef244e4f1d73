import type { Refusal } from '../../refusal.ts'

/** OpenAI's error body, with the request id in the text as every client of such gateways expects to find it. */
export function errorBody(refusal: Refusal, requestId: string): string {
  return JSON.stringify({ error: errorObject(refusal, requestId) })
}

/** The same as the last event of a stream that cannot go on; clients that know the protocol raise it as an error. */
export function errorEvent(refusal: Refusal, requestId: string): string {
  return `data: ${errorBody(refusal, requestId)}\n\n`
}

/** The 404 for an address that is no route (relay-and-billing.md 1.4). */
export function unknownAddressBody(method: string, path: string): string {
  return JSON.stringify({
    error: {
      message: `Invalid URL (${method} ${path})`,
      type: 'invalid_request_error',
      param: '',
      code: '',
    },
  })
}

/** Upstream's own members stand as upstream wrote them. */
function errorObject(refusal: Refusal, requestId: string): Record<string, unknown> {
  return {
    message: `${refusal.message} (request id: ${requestId})`,
    type: refusal.type,
    param: refusal.param,
    code: refusal.code,
    ...refusal.members,
  }
}
