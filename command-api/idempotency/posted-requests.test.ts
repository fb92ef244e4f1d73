import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type BegunRequest,
  type PostedRequests,
  postedRequests,
  REQUEST_KEY_LIFE_MS,
  RUN_LEASE_MS,
} from './posted-requests.ts'

let fixture: CommandApiFixture
let requests: PostedRequests
let key = ''
let made = 0

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  requests = postedRequests(fixture)
})
afterAll(() => fixture.close())
beforeEach(() => (key = `key ${++made}`))

const begin = (fields: object = {}) =>
  requests.begin({ user: 7, operation: 'POST /api/x', key, contents: 'a', ...fields })

function begunOf(request: BegunRequest) {
  if (request.status !== 'begun') throw new Error(request.status)
  return request
}

test('given an answer, when the request is repeated, then it is the same, and its row is sealed', async () => {
  const reply = { data: { secret: 'sk-1' }, wrote: 3, status: 200 }
  await begunOf(await begin()).end(reply)
  expect(await begin()).toEqual({ status: 'answered', reply })
  const { rows } = await fixture.pool.query<{ row: string }>(
    'select posted_requests::text as row from identity.posted_requests',
  )
  for (const { row } of rows) {
    expect(row).not.toContain('sk-1')
    expect(row).not.toContain(Buffer.from('sk-1').toString('hex'))
    expect(row).not.toContain(key)
  }
})

test('given a key, when it comes with other contents, then it is refused; for another user it is new', async () => {
  await begunOf(await begin()).end({})
  expect(await begin({ contents: 'b' })).toEqual({ status: 'otherwise' })
  expect(await begin({ user: 8 })).toMatchObject({ status: 'begun' })
  expect(await begin({ operation: 'PUT /api/x' })).toMatchObject({ status: 'begun' })
})

test('given a request that runs, when it comes again, then it is running; of ten at once one begins', async () => {
  const begun = await Promise.all(Array.from({ length: 10 }, () => begin()))
  expect(begun.filter(({ status }) => status === 'begun')).toHaveLength(1)
  expect(begun.filter(({ status }) => status === 'running')).toHaveLength(9)
})

test('given a request that failed or crashed, when repeated, then it begins as the same command', async () => {
  const first = begunOf(await begin()).command
  const since = await first.since()
  expect(await first.reserve(() => Promise.resolve([1, 2]))).toEqual([1, 2])
  expect(await begin()).toEqual({ status: 'running' })
  fixture.pass(RUN_LEASE_MS)

  await fixture.ledger.execute(userId(made), { type: 'OpenAccount' }, CAUSE)
  const second = begunOf(await begin())
  expect(second.command.id).toBe(first.id)
  expect(await second.command.since()).toBe(since)
  expect(await second.command.reserve(() => Promise.resolve([3, 4]))).toEqual([1, 2])
  await second.end(null)

  const third = begunOf(await begin())
  const isGone = () => Promise.resolve(false)
  expect(await third.command.reserve(() => Promise.resolve([5]), isGone)).toEqual([5])
  await third.end({ message: 'done' })
  expect(await begin()).toEqual({ status: 'answered', reply: { message: 'done' } })
})

test('given a process believed dead, when it goes on, then it does not end the attempt that replaced it', async () => {
  const stalled = begunOf(await begin())
  fixture.pass(RUN_LEASE_MS)
  const next = begunOf(await begin())
  await stalled.end({ message: 'late' })
  expect(await begin()).toEqual({ status: 'running' })
  expect(await stalled.command.reserve(() => Promise.resolve('a'))).toBe('a')
  expect(await next.command.reserve(() => Promise.resolve('b'))).toBe('a')
  await next.end({ message: 'right' })
  expect(await begin()).toMatchObject({ reply: { message: 'right' } })
})

test('given a request of before bodies were compared, when it comes again, then it is the same command', async () => {
  const before = begunOf(await begin())
  await fixture.pool.query(
    `update identity.posted_requests set contents_hash = null, run = null, running_until = null
     where id = $1`,
    [before.command.id],
  )
  expect(begunOf(await begin({ contents: 'whatever' })).command.id).toBe(before.command.id)
})

test('given requests past their time, when cleaned, then they are gone and younger ones stay', async () => {
  await requests.removeExpired()
  await begunOf(await begin()).end({})
  fixture.pass(REQUEST_KEY_LIFE_MS - 1)
  await begunOf(await begin({ key: 'young' })).end({})
  fixture.pass(1)
  expect(await requests.removeExpired()).toBeGreaterThan(0)
  expect(await requests.removeExpired()).toBe(0)
  expect(await begin({ key: 'young' })).toMatchObject({ status: 'answered' })
  expect(await begin()).toMatchObject({ status: 'begun' })
})

const CAUSE = { actor: 'system', correlationId: 'test', causationId: null } as const
