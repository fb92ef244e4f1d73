import { CROSS_ORIGIN_HEADERS, PREFLIGHT_HEADERS } from '@tollgate/relay/cross-origin.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A hook that lets the answer be read anywhere, also one that refuses. */
export function toAnySite(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  void reply.headers(CROSS_ORIGIN_HEADERS)
  done()
}

/** Answers a browser that asks before it calls. */
export const answerPreflight = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.code(204).headers(PREFLIGHT_HEADERS).send()
