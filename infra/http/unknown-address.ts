import type { FastifyReply, FastifyRequest } from 'fastify'

/** What is said of an address that nothing is served at, in the shape that clients of old know (console-api 1.1). */
export function refuseAddress(
  request: FastifyRequest,
  reply: FastifyReply,
  status = 404,
): FastifyReply {
  const message = `Invalid URL (${request.method} ${request.url.split('?')[0]})`
  return reply
    .status(status)
    .send({ error: { message, type: 'invalid_request_error', param: '', code: '' } })
}
