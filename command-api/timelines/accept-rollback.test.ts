import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptRollback } from './accept-rollback.ts'
import { ensureTimelines, readTimelines } from './timelines.ts'

const places = { log: 'the log', database: 'the database', isLogInDatabase: true }
let fixture: CommandApiFixture
beforeAll(async () => {
  fixture = await openCommandApiFixture()
})
afterAll(() => fixture.close())

test('given a database that dies while a rollback is accepted, when asked again, then it is done once', async () => {
  const before = await ensureTimelines(fixture)
  await fixture.pool.query(
    `insert into identity.users (username, last_position) values ('reader', 900)`,
  )
  const dying = { query: () => Promise.reject(new Error('gone')) } as unknown as typeof fixture.pool
  await expect(acceptRollback(fixture, dying, places)).rejects.toThrow('gone')
  expect(await readTimelines(fixture.store)).toEqual(before)
  const opened = await acceptRollback(fixture, fixture.pool, places)
  expect(opened.map(({ cause }) => cause)).toEqual(['first-start', 'accept-rollback'])
  const { rows } = await fixture.pool.query(
    `select last_position::int as read from identity.users where username = 'reader'`,
  )
  expect(rows).toEqual([{ read: -1 }])
})
