import { type CommandApiGround, openCommandApiGround } from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptRollback } from './accept-rollback.ts'
import { ensureTimelines, readTimelines } from './timelines.ts'

const places = { log: 'the log', database: 'the database', isLogInDatabase: true }
let ground: CommandApiGround
beforeAll(async () => {
  ground = await openCommandApiGround()
})
afterAll(() => ground.close())

test('given a database that dies while a rollback is accepted, when asked again, then rows have forgotten and one timeline was opened', async () => {
  const before = await ensureTimelines(ground)
  await ground.pool.query(
    `insert into identity.users (username, last_position) values ('reader', 900)`,
  )
  const dying = { query: () => Promise.reject(new Error('gone')) } as unknown as typeof ground.pool
  await expect(acceptRollback(ground, dying, places)).rejects.toThrow('gone')
  expect(await readTimelines(ground.store)).toEqual(before)
  const opened = await acceptRollback(ground, ground.pool, places)
  expect(opened.map(({ cause }) => cause)).toEqual(['first-start', 'accept-rollback'])
  const { rows } = await ground.pool.query(
    `select last_position::int as read from identity.users where username = 'reader'`,
  )
  expect(rows).toEqual([{ read: -1 }])
})
