import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newRequestId, REQUEST_ID_HEADER } from './request-id.ts'
import { invalidRequest } from './unknown-address.ts'

/** Node's parser and timers refuse these before there is a request; anything else is 400. */
const STATUSES: ReadonlyMap<string, readonly [status: number, message: string]> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'the request did not arrive in time']],
  ['HPE_HEADER_OVERFLOW', [431, 'the request headers are too large']],
  ['HPE_INVALID_METHOD', [400, 'the method of the request is none of HTTP']],
])
const BROKEN = [400, 'the request is not valid HTTP'] as const

/**
 * Answers bytes that are no request in the error shape of every other answer, and closes the connection. A connection
 * on which an earlier answer is being sent is only closed: another answer inside it would look like a part of it.
 */
export function refuseBrokenRequest(error: Error & { readonly code?: string }, socket: Duplex) {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (socket.writable && !isAnswering(socket)) {
    const [status, message] = STATUSES.get(error.code ?? '') ?? BROKEN
    socket.write(lastAnswer(status, message))
  }
  socket.destroy(error)
}

/**
 * Refuses CONNECT, for which Node hands over the bare connection: nobody else listens to it, or answers on it. One with
 * an answer under way is only closed, as above.
 */
export function refuseTunnel(_request: IncomingMessage, socket: Duplex): void {
  // The client broke it off: there is nobody to answer.
  socket.on('error', () => socket.destroy())
  if (isAnswering(socket)) socket.destroy()
  else socket.end(lastAnswer(405, NO_PROXY, [`allow: ${METHODS}`]), () => socket.destroy())
}

const NO_PROXY = 'CONNECT is not served here, this is no proxy: send requests to its addresses'
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** The bytes of an answer after which the connection closes. */
function lastAnswer(status: number, message: string, headers: readonly string[] = []): string {
  const body = JSON.stringify(invalidRequest(message))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${newRequestId()}`,
    ...headers,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** Node keeps the answer under way in `_httpMessage`, and decides the same question by it (lib/_http_server.js). */
const isAnswering = (socket: Duplex): boolean =>
  '_httpMessage' in socket &&
  typeof socket._httpMessage === 'object' &&
  socket._httpMessage !== null &&
  'headersSent' in socket._httpMessage &&
  socket._httpMessage.headersSent === true

/**
 * Refuses a request with more than one Host (RFC 9112, 3.2): Node takes the first, a proxy in front may have taken the
 * last. The hook answers; null lets the request pass.
 */
export function refuseTwoHosts(request: FastifyRequest, reply: FastifyReply): FastifyReply | null {
  const { rawHeaders } = request.raw
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1
  }
  if (hosts < 2) return null
  return reply
    .status(400)
    .header('connection', 'close')
    .send(invalidRequest('the request must have exactly one Host header'))
}
