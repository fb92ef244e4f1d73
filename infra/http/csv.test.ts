import { NO_REQUEST_HAS_A_KEY } from '@tollgate/tests/support/no-request-has-a-key.ts'
import { type ApiRoute, type CsvRow, route } from '@tollgate/command-api/http-contract/api-route.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { request as ask } from 'undici'
import cookie from '@fastify/cookie'
import { bodyBudgetLimits } from '@tollgate/relay/uploads/body-budget.ts'
import { Uploads } from '@tollgate/relay/uploads/uploads.ts'
import { mountApi } from './api.ts'
import { wantsCsv } from './csv.ts'

let app: FastifyInstance
afterEach(() => app.close())

async function serve(batches: () => AsyncIterable<readonly CsvRow[]>): Promise<string> {
  const list: ApiRoute = route({
    method: 'GET',
    path: '/api/things',
    access: 'public',
    summary: 'Things',
    csv: { name: 'things', columns: ['id', 'name', 'isOn', 'missing'], batches },
    handle: () => Promise.resolve({ data: [] }),
  })
  app = Fastify()
  await app.register(cookie)
  mountApi(app, {
    routes: [list],
    authenticate: () => Promise.resolve({ status: 'anonymous' }),
    rememberWrite: () => Promise.resolve(),
    uploads: new Uploads({ limits: bodyBudgetLimits(1), addressKey: (ip) => ip }),
    waitForReadModels: () => Promise.resolve(),
    isReadModelOutdated: () => false,
    postedRequests: NO_REQUEST_HAS_A_KEY,
    criticalLimit: { take: () => Promise.resolve({ isAllowed: true }) },
    serverAddress: () => '',
    isDemoSite: () => false,
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}
const CSV = { accept: 'text/csv' } as const

test('given a list, when asked for as CSV, then all batches are in one file with formulas disarmed', async () => {
  const url = await serve(async function* () {
    yield [
      { id: 1, name: '=HYPERLINK("x")', isOn: true },
      { id: -2, name: 'a,"b"\nc', isOn: false },
    ]
    yield [{ id: 3, name: '中文', isOn: true }]
  })
  const answer = await fetch(`${url}/api/things`, { headers: CSV })
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="things.csv"')
  const text = Buffer.from(await answer.arrayBuffer()).toString('utf8')
  expect(text).toBe(
    '\uFEFFid,name,isOn,missing\r\n1,"\'=HYPERLINK(""x"")",true,\r\n-2,"a,""b""\nc",false,\r\n3,中文,true,\r\n',
  )
  expect(await (await fetch(`${url}/api/things`)).json()).toMatchObject({ success: true, data: [] })
})

test('given a list without rows, when asked for as CSV, then the header alone comes', async () => {
  const url = await serve(async function* () {
    yield []
  })
  const answer = await fetch(`${url}/api/things`, { headers: CSV })
  expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe('\uFEFFid,name,isOn,missing\r\n')
})

test('given a client that does not read on, when rows are many, then only a few batches are made ahead', async () => {
  const batch = Array.from({ length: 1_000 }, (_, id) => ({
    id,
    name: 'x'.repeat(1_000),
    isOn: true,
  }))
  let made = 0
  const url = await serve(async function* () {
    for (; made < 400; made += 1) yield batch
  })
  const { body } = await ask(`${url}/api/things`, { headers: CSV })
  const first = await body.iterator().next()
  expect(first.done).toBe(false)
  // 400 MB in all; what the sockets of both sides hold is some megabytes.
  expect(made).toBeLessThan(100)
  body.destroy()
})

test('given a list that fails on the way, when asked for as CSV, then the file does not look whole', async () => {
  const url = await serve(async function* () {
    yield [{ id: 1, name: 'one', isOn: true }]
    throw new Error('the database went away')
  })
  const answer = await fetch(`${url}/api/things`, { headers: CSV })
  await expect(answer.arrayBuffer()).rejects.toThrow(/terminated|aborted|closed/)
})

test.each([
  ['text/csv', true],
  ['text/csv; charset=utf-8', true],
  ['text/csv, */*;q=0.1', true],
  ['application/json, text/csv', false],
  ['*/*', false],
  [undefined, false],
])('given Accept %j, when read, then CSV is wanted: %s', (accept, expected) => {
  expect(wantsCsv(accept)).toBe(expected)
})
