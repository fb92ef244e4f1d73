import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { Life } from '@tollgate/tests/support/crashable.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptRollback } from './accept-rollback.ts'
import { ensureTimelines, readTimelines } from './timelines.ts'

const places = { log: 'the log', database: 'the database', isLogInDatabase: true }
let fixture: CommandApiFixture
beforeAll(async () => {
  fixture = await openCommandApiFixture()
})
afterAll(() => fixture.close())

/** Seven statements come before the timeline is opened, each with a moment before and after. */
const MOMENTS = 14

test('given a process that dies at any moment of a rollback, when asked again, then it is done once', async () => {
  const before = await ensureTimelines(fixture)
  await fixture.pool.query(
    `insert into identity.users (username, last_position) values ('reader', 900)`,
  )
  for (let moment = 1; moment <= MOMENTS; moment++) {
    const dying = new Life(moment).crashable(fixture.db, ['query', 'maybeOne'])
    await expect(acceptRollback(fixture, dying, places)).rejects.toThrow('this process is dead')
    expect(await readTimelines(fixture.store)).toEqual(before)
  }
  const opened = await acceptRollback(fixture, fixture.db, places)
  expect(opened.map(({ cause }) => cause)).toEqual(['first-start', 'accept-rollback'])
  const { rows } = await fixture.pool.query(
    `select last_position::int as read from identity.users where username = 'reader'`,
  )
  expect(rows).toEqual([{ read: -1 }])
})
