import type { FastifyReply, FastifyRequest } from 'fastify'
import { protocolAt } from './protocols/client-protocols.ts'
import type { Refusal } from './refusal.ts'

/** Answers a refusal outside the pipeline: in the protocol's shape, with the time to come back where there is one. */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  why: Refusal,
): FastifyReply {
  if (why.retryAfterSeconds !== null) void reply.header('retry-after', why.retryAfterSeconds)
  return reply
    .code(why.status)
    .type('application/json')
    .send(protocolAt(request.url, request.headers).refused(why, request.id))
}
