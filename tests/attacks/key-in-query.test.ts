import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { collectedLog } from '../support/collected-log.ts'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'

/** Google's clients may name their key in the address: it stands in no answer, no log, no event, and goes nowhere. */
let whole: WholeTollgate
let upstream: Server
let key = ''
const log = collectedLog()
/** Questions to the upstream, as it reads them. */
const asked: string[] = []
const MODEL = 'gemini-2.5-flash'
let status = 200
let answer = ''

beforeAll(async () => {
  upstream = createServer((request, response) => {
    asked.push(`${request.url} ${JSON.stringify(request.rawHeaders)}`)
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(answer)
    })
  })
  const port = await new Promise<number>((resolve) => {
    upstream.listen(0, '127.0.0.1', () => {
      const address = upstream.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  whole = await startWholeTollgate({ runtime: { logger: log.logger } })
  const selfUse = { key: 'SelfUseModeEnabled', value: 'true' }
  await whole.root.ask('PUT', '/api/option/', z.unknown(), selfUse)
  await whole.root.addChannel({
    name: 'google',
    type: 24,
    key: 'AIza-of-the-channel',
    base_url: `http://127.0.0.1:${port}`,
    models: MODEL,
  })
  const token = await whole.root.createToken({ name: 'in the address' })
  ;({ key } = token)
}, 60_000)
afterAll(async () => {
  await whole?.stop()
  upstream?.close()
}, 30_000)

const BODY = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })
const ANSWER = JSON.stringify({
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
})

test.each([
  ['an answer', 'POST', `/v1beta/models/${MODEL}:generateContent`, BODY, 200, 200],
  ['an error of upstream', 'POST', `/v1beta/models/${MODEL}:generateContent`, BODY, 400, 400],
  ['a failure of upstream', 'POST', `/v1/models/${MODEL}:streamGenerateContent`, BODY, 500, 500],
  ['a body that is no JSON', 'POST', `/v1beta/models/${MODEL}:generateContent`, '{', 200, 400],
  ['a model that nobody serves', 'POST', '/v1beta/models/none:generateContent', BODY, 200, 404],
  ['a method that is not served', 'POST', `/v1beta/models/${MODEL}:dream`, BODY, 200, 404],
  ['an address that is none', 'POST', '/v1beta/files', BODY, 200, 404],
  ['an address that cannot be read', 'POST', '/v1beta/models/%zz:x', BODY, 200, 400],
  ['models', 'GET', '/v1beta/models', undefined, 200, 200],
  ['a response that is stored', 'GET', '/v1/responses/resp_1', undefined, 200, 401],
  ['a protocol without such keys', 'POST', '/v1/chat/completions', BODY, 200, 401],
])(
  'given a key in the address, when it is asked for %s, then the key is not repeated',
  async (_what, method, path, body, ofUpstream, told) => {
    status = ofUpstream
    answer = ofUpstream === 200 ? ANSWER : '{"error":{"code":1,"message":"no","status":"NO"}}'
    const response = await fetch(`${whole.tollgate.url}${path}?key=sk-${key}&alt=json`, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    expect(response.status).toBe(told)
    const { rows } = await whole.database.pool.query<{ data: string }>(
      'select data || metadata as data from ledger.events',
    )
    const seen = [text, ...asked, ...log.lines, ...rows.map(({ data }) => data)]
    expect([...response.headers].filter(([, value]) => value.includes(key))).toEqual([])
    expect(seen.filter((one) => one.includes(key))).toEqual([])
  },
)

test('given a caller whose key is wrong, when refused, then the key is not repeated', async () => {
  const wrong = 'sk-wrong0123456789wrong0123456789'
  const path = `/v1beta/models/${MODEL}:generateContent?key=${wrong}`
  const response = await fetch(`${whole.tollgate.url}${path}`, { method: 'POST', body: BODY })
  expect(response.status).toBe(401)
  expect(await response.text()).not.toContain('wrong0123')
  expect(log.withAnyOf(['wrong0123'])).toEqual([])
})
