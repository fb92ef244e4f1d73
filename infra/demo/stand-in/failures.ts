import type { ServerResponse } from 'node:http'
import type { Behaviour } from './behaviour.ts'
import { errorBody, send, sendError } from './sending.ts'

type Refusal =
  | 'rate-limited'
  | 'server-error'
  | 'bad-gateway'
  | 'invalid-key'
  | 'bad-request'
  | 'garbage'
  | 'error-in-ok'
  | 'empty'
type HalfAnswer = 'truncated' | 'stalled' | 'error-mid-stream'

const REFUSALS: ReadonlySet<Behaviour> = new Set<Refusal>([
  'rate-limited',
  'server-error',
  'bad-gateway',
  'invalid-key',
  'bad-request',
  'garbage',
  'error-in-ok',
  'empty',
])
/** The behaviours that answer with no content at all. */
export const isRefusal = (behaviour: Behaviour): behaviour is Refusal => REFUSALS.has(behaviour)
/** The behaviours that begin an answer and do not end it well. */
export const isHalfAnswer = (behaviour: Behaviour): behaviour is HalfAnswer =>
  behaviour === 'truncated' || behaviour === 'stalled' || behaviour === 'error-mid-stream'

/** Answers with no content at all. */
export function refuse(refusal: Refusal, response: ServerResponse): void {
  switch (refusal) {
    case 'rate-limited':
      response.setHeader('retry-after', '1')
      return sendError(response, 429, {
        message: 'Rate limit reached for requests',
        type: 'requests',
        code: 'rate_limit_exceeded',
      })
    case 'server-error':
      return sendError(response, 500, {
        message: 'The server had an error while processing your request',
        type: 'server_error',
        code: null,
      })
    case 'bad-gateway':
      return send(response, 502, 'text/html', '<html><body><h1>502 Bad Gateway</h1></body></html>')
    case 'invalid-key':
      return sendError(response, 401, {
        message: 'Incorrect API key provided: sk-stand-in-secret.',
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      })
    case 'bad-request':
      return sendError(response, 400, {
        message: "Invalid value for 'temperature'",
        type: 'invalid_request_error',
        code: 'invalid_value',
      })
    case 'garbage':
      return send(response, 200, 'application/json', '\u0000\u0001 <<< this is not JSON >>>')
    case 'error-in-ok':
      return send(
        response,
        200,
        'application/json',
        errorBody('The model is overloaded', 'server_error', 'overloaded'),
      )
    case 'empty':
      return send(response, 200, 'application/json', '')
  }
}

/** Ends a stream after some of its chunks; `nextChunk` would have been the next. */
export function endHalfWay(how: HalfAnswer, nextChunk: string, response: ServerResponse): void {
  switch (how) {
    case 'truncated':
      // Ends inside a chunk, so that the reader has half an event in its hands.
      response.write(`data: ${nextChunk.slice(0, 30)}`, () => response.destroy())
      return
    case 'stalled':
      return
    case 'error-mid-stream':
      response.end(`data: ${errorBody('The server had an error', 'server_error', null)}\n\n`)
  }
}
