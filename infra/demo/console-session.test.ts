import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { visitor } from './console-session.ts'

const ended: (() => void)[] = []
afterEach(() => ended.splice(0).forEach((end) => end()))

/** A server that is unavailable for its first calls, and keeps the headers of all. */
async function unavailableFor(calls: number) {
  const heard: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    heard.push(request.headers)
    const isThere = heard.length > calls
    response.writeHead(isThere ? 200 : 503, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ success: isThere, message: isThere ? '' : 'later', data: 7 }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ended.push(() => server.close())
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('given a server that is unavailable at first, when asked for a change, then the same key is repeated', async () => {
  const { heard, url } = await unavailableFor(2)
  expect(await visitor(url).ask('POST', '/api/token/', z.number(), {})).toBe(7)
  const keys = heard.map((headers) => headers['idempotency-key'])
  expect(keys).toHaveLength(3)
  expect(keys[0]).toMatch(/./u)
  expect(new Set(keys).size).toBe(1)
})

test('given a server that stays unavailable, when the demo stops, then nothing more is asked', async () => {
  const { heard, url } = await unavailableFor(Infinity)
  const stopping = new AbortController()
  const asking = visitor(url, stopping.signal).ask('GET', '/api/status', z.number())
  const stopOnceHeard = async () => {
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    stopping.abort()
  }
  await Promise.all([stopOnceHeard(), expect(asking).rejects.toThrow(/abort/iu)])
  const calls = heard.length
  expect(heard[0]).not.toHaveProperty('idempotency-key')
  await expect(visitor(url, stopping.signal).whole('GET', '/api/status')).rejects.toThrow(/abort/iu)
  expect(heard).toHaveLength(calls)
})
