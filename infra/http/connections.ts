import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { refuseTunnel } from './broken-requests.ts'

/** Longer than most proxies keep a connection, so that they close it and not we under their next request. */
const KEEP_ALIVE_MS = 72_000
/** A little more than a relay body's time, for bodies that nobody takes in (uploads.ts bounds the others). */
const REQUEST_MS = 11 * 60_000
/** How long the rest of a refused body may take: a client that still sends gets to read the answer. */
const LINGER_MS = 30_000
/** Requests of one connection that may be under way. Clients send the next after the answer, or open another connection. */
const PIPELINED_MAX = 16

/**
 * The server under Fastify. It gives leave to send only once somebody takes the body in (`Expect: 100-continue`), ends
 * connections whose refused body goes on, and those that send many requests in one go: all of a packet's requests are
 * begun before anything else is served.
 */
export function makeServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const underWay = new WeakMap<Socket, number>()
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    if (socket.destroyed) return
    const others = underWay.get(socket) ?? 0
    if (others >= PIPELINED_MAX) {
      socket.destroy()
      return
    }
    underWay.set(socket, others + 1)
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1))
    if (mayHaveBody(request)) response.once('finish', () => linger(request))
    handler(request, response)
  }
  const server = createServer(listener)
  server.on('checkContinue', listener)
  server.on('connect', refuseTunnel)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.requestTimeout = REQUEST_MS
  return server
}

const mayHaveBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Throws away what still comes of a request that was answered, for a while. */
function linger(request: IncomingMessage): void {
  if (request.complete) return
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref()
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
  request.resume()
}
