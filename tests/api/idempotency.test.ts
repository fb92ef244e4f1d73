import { takesIdempotencyKey } from '@tollgate/command-api/http-contract/api-route.ts'
import { openApiPath } from '@tollgate/infra/http/openapi/document.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { addPerson } from './people.ts'

let whole: WholeTollgate

beforeAll(async () => {
  whole = await startWholeTollgate()
}, 60_000)
afterAll(() => whole.stop(), 30_000)

const codes = (key: string, body: object = {}) =>
  whole.root.fetch(
    'POST',
    '/api/redemption/',
    { name: key, quota: 5, count: 2, ...body },
    { 'idempotency-key': key },
  )
const issued = async (name: string) => {
  const page = z.object({ total: z.int() })
  return (await whole.root.ask('GET', `/api/redemption/search?keyword=${name}`, page)).total
}

test('given a call with a key, when sent again, then it is done once and the answer’s header says so', async () => {
  const first = await codes('a')
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  // With and without a slash at the end it is the same route.
  const again = await whole.root.fetch(
    'POST',
    '/api/redemption',
    { name: 'a', quota: 5, count: 2 },
    { 'idempotency-key': 'a' },
  )
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.status).toBe(first.status)
  expect(await again.json()).toEqual(await first.json())
  expect(await issued('a')).toBe(2)
})

test('given a used key, when it comes with another body, then 422 says so, for this user only', async () => {
  await codes('b')
  const other = await codes('b', { count: 3 })
  expect(other.status).toBe(422)
  expect(await other.json()).toMatchObject({ success: false, code: 'idempotency_key_reused' })
  expect(await issued('b')).toBe(2)

  const admin = await addPerson(whole, 'another', 10)
  const answer = await fetch(`${whole.tollgate.url}/api/redemption/`, {
    method: 'POST',
    headers: {
      ...admin.headers,
      'content-type': 'application/json',
      'idempotency-key': 'b',
    },
    body: JSON.stringify({ name: 'b', quota: 5, count: 2 }),
  })
  expect(answer.headers.get('idempotency-replayed')).toBeNull()
  // Another's write: nobody's read waits for it.
  await expect.poll(() => issued('b'), { timeout: 10_000 }).toBe(4)
})

test('given a call with a key, when repeated while the first runs, then 409, and it is done once', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => codes('c', { count: 100 })))
  const done = answers.filter(({ status }) => status === 200)
  const busy = answers.filter(({ status }) => status !== 200)
  expect(done.length).toBeGreaterThan(0)
  expect(busy.length).toBeGreaterThan(0)
  for (const answer of busy) {
    expect(answer.status).toBe(409)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await answer.json()).toMatchObject({ success: false, code: 'idempotency_key_in_use' })
  }
  expect(await issued('c')).toBe(100)
})

test('given the API reference, when read, then just the calls that change something take the header', async () => {
  const header = z.object({ in: z.string(), name: z.string() })
  const operation = z.object({ parameters: z.array(header) })
  const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) })
  const answer = await fetch(`${whole.tollgate.url}/api/openapi.json`)
  const { paths } = document.parse(await answer.json())
  const takes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { parameters }]) => parameters.some(({ name }) => name === 'Idempotency-Key'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
  const wanted = whole.tollgate.routes.filter(takesIdempotencyKey)
  expect(takes.toSorted()).toEqual(
    wanted.map(({ method, path }) => `${method} ${openApiPath(path)}`).toSorted(),
  )
  expect(takes.length).toBeGreaterThan(30)
  expect(takes).not.toContain('POST /api/user/login')
})
