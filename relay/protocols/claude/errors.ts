import type { Refusal } from '../../refusal.ts'

/** Anthropic's error body; the request id stands in the text as well, as for other clients of such gateways. */
export function errorBody({ type, message }: Refusal, requestId: string): string {
  const error = { type, message: `${message} (request id: ${requestId})` }
  return JSON.stringify({ type: 'error', error, request_id: requestId })
}

/** The same as an event of a stream. */
export const errorEvent = (why: Refusal, requestId: string): string =>
  `event: error\ndata: ${errorBody(why, requestId)}\n\n`
