import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { Pool } from 'undici'
import { tellServingTime } from './serving-time.ts'

/**
 * The least that a stream through Node costs: the body goes on, the answer is piped back. Pairs of protocols are
 * compared with it: `node bare-pipe-process.ts <upstream url>`. Prints its URL and another, which answers a ServingTime.
 */
const upstreamUrl = process.argv[2]
if (upstreamUrl === undefined) throw new Error('usage: bare-pipe-process.ts <upstream url>')

const upstream = new Pool(upstreamUrl, { connections: 256 })
let failures = 0
const server = createServer((request, response) => {
  pass(request, response).catch(() => {
    failures += 1
    response.destroy()
  })
})

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await upstream.request({
    method: 'POST',
    path: request.url ?? '/',
    headers: { 'content-type': 'application/json' },
    body: await buffer(request),
  })
  response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) })
  await pipeline(answer.body, response)
}

server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
process.stdout.write(`http://127.0.0.1:${port} ${await tellServingTime(() => failures)}\n`)
