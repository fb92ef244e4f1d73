import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerPreflight } from './any-site.ts'

/** Answers an address that nothing is served at, in the shape that clients of old know (console-api 1.1). */
export function refuseAddress(
  request: FastifyRequest,
  reply: FastifyReply,
  status = 404,
): FastifyReply {
  const message = `Invalid URL (${request.method} ${request.url.split('?')[0]})`
  return reply.status(status).send(invalidRequest(message))
}

/** The same; a browser that asks before it calls hears what it may. */
export const answerUnknown = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  request.method === 'OPTIONS' ? answerPreflight(request, reply) : refuseAddress(request, reply)

/** The error body of a request that cannot be understood at all. */
export const invalidRequest = (message: string) => ({
  error: { message, type: 'invalid_request_error', param: '', code: '' },
})
