import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { openOutgoingFetch, type OutgoingFetchOptions } from './outgoing-fetch.ts'
import { isPublicAddress } from './public-address.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const opened = (options: OutgoingFetchOptions) => {
  const guarded = openOutgoingFetch(options)
  closing.push(() => guarded.close())
  return guarded.fetch
}
const guarded = (lookup?: LookupFunction) =>
  opened({ mayReach: isPublicAddress, ...(lookup && { lookup }) })

/** A server on an address of this machine, and how often it was asked. */
async function serve(listener: RequestListener, host = '127.0.0.1') {
  let requests = 0
  let connections = 0
  const server: Server = createServer((request, response) => {
    requests += 1
    listener(request, response)
  })
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://${host}:${port}`, asked: () => ({ requests, connections }) }
}

/** Resolves names to the given addresses, one list a call, the last one for ever. */
const resolving = (...answers: readonly (readonly string[])[]): LookupFunction => {
  let calls = 0
  return (_hostname, options, callback) => {
    const found = (answers[Math.min(calls++, answers.length - 1)] ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }))
    if (options.all === true) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }
}

test.each([
  'http://127.0.0.1:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://0:PORT/',
  'http://[::1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://１２７.0.0.1:PORT/',
  'https://127.0.0.1:PORT/',
  'http://169.254.169.254/latest/meta-data/',
])('given %s, when fetched, then it is refused and nobody is connected to', async (written) => {
  const { port, asked } = await serve((_request, response) => response.end('secret'))
  await expect(guarded()(written.replace('PORT', String(port)))).rejects.toMatchObject({
    code: 'ADDRESS_PRIVATE',
    retryable: false,
  })
  expect(asked().connections).toBe(0)
})

test.each([['file:///etc/passwd'], ['data:text/plain,hello'], ['ftp://example.com/']])(
  'given %s, when fetched, then it is refused',
  async (address) => {
    await expect(guarded()(address)).rejects.toMatchObject({ code: 'ADDRESS_NOT_HTTP' })
  },
)

test('given a name with a public and a private address, when fetched, then it is refused', async () => {
  const { port, asked } = await serve((_request, response) => response.end())
  const fetch = guarded(resolving(['8.8.8.8', '127.0.0.1']))
  await expect(fetch(`http://mixed.test:${port}/`)).rejects.toMatchObject({
    code: 'ADDRESS_PRIVATE',
  })
  expect(asked().connections).toBe(0)
})

test('given a name that resolves anew, when fetched again, then the second address is checked too', async () => {
  const allowed = await serve((_request, response) =>
    response.setHeader('connection', 'close').end('fine'),
  )
  const fetch = opened({
    mayReach: (ip) => ip === '127.0.0.1',
    lookup: resolving(['127.0.0.1'], ['127.0.0.2']),
  })
  const address = `http://rebinding.test:${allowed.port}/`
  expect(await (await fetch(address)).text()).toBe('fine')
  await expect(fetch(address)).rejects.toMatchObject({ code: 'ADDRESS_PRIVATE' })
  expect(allowed.asked().requests).toBe(1)
})

test('given an address that was allowed, when it no longer is, then the very next exchange is refused', async () => {
  let isAllowed = true
  const kept: (string | undefined)[] = []
  const { url, asked } = await serve((request, response) => {
    kept.push(request.headers.connection)
    response.end('fine')
  })
  const fetch = opened({ mayReach: () => isAllowed })
  expect(await (await fetch(url)).text()).toBe('fine')
  expect(kept).toEqual(['close'])
  isAllowed = false
  await expect(fetch(url)).rejects.toMatchObject({ code: 'ADDRESS_PRIVATE' })
  expect(asked()).toEqual({ requests: 1, connections: 1 })
})

test('given a redirect to a forbidden address, when followed, then it is refused before connecting', async () => {
  const inside = await serve((_request, response) => response.end('secret'), '127.0.0.2')
  const outside = await serve((_request, response) =>
    response.writeHead(302, { location: `${inside.url}/admin` }).end(),
  )
  const fetch = opened({ mayReach: (ip) => ip === '127.0.0.1' })
  await expect(fetch(outside.url)).rejects.toMatchObject({ code: 'ADDRESS_PRIVATE' })
  expect(inside.asked().connections).toBe(0)
  expect(outside.asked().requests).toBe(1)
})

test('given an allowed address, when fetched, then method, headers, body and answer pass', async () => {
  const { url } = await serve((request, response) => {
    request.setEncoding('utf8')
    let body = ''
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      response.writeHead(201, { 'content-type': 'application/json', 'x-seen': request.method })
      response.end(JSON.stringify({ body, secret: request.headers['authorization'] }))
    })
  })
  const fetch = opened({ mayReach: () => true })
  const answer = await fetch(url, {
    method: 'POST',
    body: 'hello',
    headers: { authorization: 'Bearer x' },
  })
  expect(answer.status).toBe(201)
  expect(answer.headers.get('x-seen')).toBe('POST')
  expect(await answer.json()).toEqual({ body: 'hello', secret: 'Bearer x' })
})

test('given an answer without a body, when fetched, then its status is told', async () => {
  const { url } = await serve((_request, response) => response.writeHead(204).end())
  expect((await opened({ mayReach: () => true })(url)).status).toBe(204)
})

test('given an answer that is small on the wire and large unpacked, when read, then reading ends', async () => {
  const bomb = gzipSync(Buffer.alloc(4_000_000))
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(bomb)
  })
  expect(bomb.byteLength).toBeLessThan(10_000)
  const answer = await opened({ mayReach: () => true, answerBytesMax: 1_000_000 })(url)
  await expect(answer.text()).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
})

test('given an answer that says how long it is, when that is too long, then nothing of it is taken', async () => {
  let isClosed = false
  const { url } = await serve((_request, response) => {
    response.on('close', () => (isClosed = true))
    response.writeHead(200, { 'content-length': '2000000' }).write('first')
  })
  const asked = opened({ mayReach: () => true, answerBytesMax: 1_000_000 })(url)
  await expect(asked).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
  await expect.poll(() => isClosed).toBe(true)
})

test('given a server that never finishes its answer, when read, then the time limit ends it', async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200)
    response.write('first')
  })
  const fetch = opened({ mayReach: () => true, timeoutMs: 200 })
  const answer = await fetch(url)
  await expect(answer.text()).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('given a signal of the caller, when it aborts, then the request ends', async () => {
  const { url } = await serve(() => undefined)
  const ending = new AbortController()
  const asked = opened({ mayReach: () => true })(url, { signal: ending.signal })
  ending.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
})
