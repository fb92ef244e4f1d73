import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { keepTask } from '../support/histories/kept-task.ts'
import { until } from '../support/processes.ts'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { call } from './seeded.ts'
import { addPerson, type Person, signIn } from './people.ts'

/** Pictures of drawings, from a server that stands in for upstream's, through the product as it runs. */
let whole: WholeTollgate
let root: Person
let ann: Person
let paint: (request: IncomingMessage, response: ServerResponse) => void
let seen: IncomingMessage[]

const server = createServer((request, response) => {
  seen.push(request)
  paint(request, response)
})
const upstream = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const DRAWING = '1712205491372224'
const HOME = 'https://gate.example.com'

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whole = await startWholeTollgate()
  root = await signIn(whole, 'root')
  ann = await addPerson(whole, 'ann')
  await whole.root.setOption('ServerAddress', HOME)
  await keepTask(whole.tollgate.engines, 'mj', ann.id, {
    upstreamId: DRAWING,
    imageUrl: `${upstream()}/picture.png?signed=1`,
  })
  await until('the drawing is listed', async () => (await listed(root)).length === 1)
}, 60_000)
afterAll(async () => {
  await whole.stop()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}, 30_000)

beforeEach(async () => {
  seen = []
  paint = (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(PNG)
  await whole.root.setOption('fetch_setting.allow_private_addresses', 'true')
})

const picture = (id = DRAWING, init: RequestInit = {}): Promise<Response> =>
  fetch(`${whole.tollgate.url}/mj/image/${id}`, init)

async function listed(person: Person): Promise<readonly string[]> {
  const path = person === root ? '/api/mj/' : '/api/mj/self'
  const { data } = await call({ whole }, person, 'GET', path)
  return z
    .array(z.object({ image_url: z.string() }))
    .parse(data)
    .map((row) => row.image_url)
}

test('given images shown by this server or not, when drawings are listed, then the option sets addresses', async () => {
  const own = `${HOME}/mj/image/${DRAWING}`
  expect(await listed(root)).toEqual([own])
  expect(await listed(ann)).toEqual([own])
  await whole.root.setOption('MjForwardUrlEnabled', 'false')
  const theirs = `${upstream()}/picture.png?signed=1`
  await until('upstream’s address is listed', async () => (await listed(root))[0] === theirs)
  expect(await listed(ann)).toEqual([theirs])
  // A client that was given the address before still sees the picture.
  expect((await picture()).status).toBe(200)
  await whole.root.setOption('MjForwardUrlEnabled', 'true')
  await until('our address is listed', async () => (await listed(root))[0] === own)
})

test('given a drawing, when anybody opens its picture, then it comes as a picture and nothing else', async () => {
  const answer = await picture(DRAWING, {
    headers: { cookie: 'session=x', origin: 'https://x.example' },
  })
  expect(answer.status).toBe(200)
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'cache-control': 'private, max-age=86400',
  })
  expect(seen.map(({ url, headers }) => [url, headers.cookie])).toEqual([
    ['/picture.png?signed=1', undefined],
  ])
})

test.each([
  ['image/webp', 'image/webp'],
  ['IMAGE/GIF; charset=binary', 'image/gif'],
  ['application/octet-stream', 'image/jpeg'],
  [null, 'image/jpeg'],
  ['image/svg+xml', null],
  ['text/html', null],
  ['application/javascript', null],
])('given an answer of type %s, when opened, then it is shown as %s', async (type, shown) => {
  paint = (_request, response) =>
    response.writeHead(200, type === null ? {} : { 'content-type': type }).end('<svg onload="x"/>')
  const answer = await picture()
  const text = await answer.text()
  expect([answer.status, answer.headers.get('content-type')]).toEqual(
    shown === null ? [500, 'application/json; charset=utf-8'] : [200, shown],
  )
  if (shown === null) expect(text).not.toContain('svg')
})

test('given an address inside the own network, when that is not allowed, then nobody is asked', async () => {
  await whole.root.setOption('fetch_setting.allow_private_addresses', 'false')
  await until('it is refused', async () => (await picture()).status === 500)
  seen = []
  const answer = await picture()
  expect(await answer.json()).toEqual({
    error: 'http_get_image_failed',
    message: '无法从上游获取图片，请稍后重试',
  })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(seen).toEqual([])
})

test.each(['unknown', '%00', '..%2F..%2Fapi', 'a'.repeat(100)])(
  'given no drawing %s, when its picture is opened, then 400 in words that old clients know',
  async (id) => {
    const answer = await picture(id)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: 'midjourney_task_not_found' })
    expect(seen).toEqual([])
  },
)

test.each([403, 404, 410, 429, 500, 503])(
  'given upstream that answers %d, when a picture is opened, then so does this server',
  async (status) => {
    paint = (_request, response) => response.writeHead(status).end('secret words')
    const answer = await picture()
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: 'http_get_image_failed' })
  },
)

test('given a picture declared too large, when opened, then it is refused before a byte is sent', async () => {
  paint = (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '33554433' })
    response.write(PNG)
  }
  const answer = await picture()
  expect(answer.status).toBe(500)
  expect(await answer.json()).toMatchObject({ message: '上游图片过大，无法显示' })
})

test('given a picture that grows too large, when loaded, then it breaks off instead of ending well', async () => {
  const megabyte = Buffer.alloc(1024 * 1024)
  let left = 34
  paint = (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' })
    const send = (): void => {
      left -= 1
      if (left === 0) response.end()
      else response.write(megabyte, send)
    }
    send()
  }
  const answer = await picture()
  expect(answer.status).toBe(200)
  await expect(answer.arrayBuffer()).rejects.toThrow(/terminated|aborted|fetch failed/)
})

test('given more pictures at once than there is room for, when one goes, then the next has room', async () => {
  paint = (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).write(PNG)
  const leaving = new AbortController()
  const open = await Promise.all(
    Array.from({ length: 64 }, () => picture(DRAWING, { signal: leaving.signal })),
  )
  expect(open.every(({ status }) => status === 200)).toBe(true)
  const refused = await picture()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
  leaving.abort()
  paint = (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(PNG)
  await until('there is room', async () => (await picture()).status === 200)
})
