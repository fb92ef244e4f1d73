import type { FastifyReply, FastifyRequest } from 'fastify'

/** For the few calls that carry their own key and no cookie: pages of any site may make them (console-api 1.6). */
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '43200',
} as const

/** A hook that lets the answer be read anywhere, also one that refuses. */
export function toAnySite(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  void reply.headers(CORS_HEADERS)
  done()
}

/** What a browser is told that asks before it calls. */
export const answerPreflight = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.code(204).headers(CORS_HEADERS).send()
