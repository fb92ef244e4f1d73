import fastify from 'fastify'
import { Pool } from 'undici'

/**
 * The least that a gateway can be: Fastify takes a body, undici passes it on, the answer is piped back. No key is
 * checked, nothing is counted. The cost of Tollgate is measured against it. Prints its URL.
 */
const upstreamUrl = process.argv[2]
if (upstreamUrl === undefined) throw new Error('usage: bare-gateway-process.ts <upstream url>')

const upstream = new Pool(upstreamUrl, { connections: 256 })
const app = fastify()
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
app.post<{ Body: Buffer }>('/v1/chat/completions', async (request, reply) => {
  const answer = await upstream.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench' },
    body: request.body,
  })
  reply.code(answer.statusCode)
  reply.header('content-type', answer.headers['content-type'])
  return reply.send(answer.body)
})
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
