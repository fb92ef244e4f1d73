import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { EVENTS, protocolAt } from './chunks.ts'

/** Providers of every protocol, in a process of their own: `node chunks-process.ts <chunks> <every ms>`. Prints its URL. */
const [chunks = 0, everyMs = 0] = process.argv.slice(2).map(Number)
if (!(chunks > 0 && everyMs > 0)) throw new Error('usage: chunks-process.ts <chunks> <every ms>')

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => void answer(request.url ?? '', response))
})

async function answer(url: string, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(url, 'http://x')
  const { first, piece, last } = EVENTS[protocolAt(pathname)]({ chunks, everyMs })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(first.join(''))
  // Streams that began together do not stay in step.
  await setTimeout(Math.random() * everyMs)
  for (let sent = 0; sent < chunks && !response.destroyed; sent += 1) {
    response.write(piece)
    await setTimeout(everyMs)
  }
  response.end(last.join(''))
}

server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
