import type { DomainEvent } from '@tollgate/domain/event.ts'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { silentLogger, testClock } from '@tollgate/tests/support/projection-log.ts'
import { type CommandRun, runCommand } from '@tollgate/tests/support/run-command.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import { openPostgresEventStore } from '../../event-store/postgres/store.ts'

const CLI = new URL('projections-cli.ts', import.meta.url)

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

const projections = (...words: readonly string[]): Promise<CommandRun> =>
  runCommand(CLI, words, { DATABASE_URL: database.url })

test('given a log without read models, when one is rebuilt, then it is there and the others are missing', async () => {
  const { pool, url } = database
  const store = openPostgresEventStore({
    pool,
    databaseUrl: url,
    logger: silentLogger,
    clock: testClock,
  })
  const opened: DomainEvent = { type: 'AccountOpened', data: { at: 1 } }
  const metadata = {
    actor: 'system',
    correlationId: 'c',
    causationId: null,
    schemaVersion: 1,
  } as const
  await store.append('account-1', [{ ...opened, id: crypto.randomUUID(), metadata }], EMPTY_STREAM)
  await store.close()

  expect((await projections('status')).out).toMatch(/^balances .*not built yet/m)
  const rebuilt = await projections('rebuild', 'balances')
  expect(rebuilt).toMatchObject({ code: 0, err: '' })
  expect(rebuilt.out).toMatch(/balances .*100% \| 1 events/)
  const status = await projections('status')
  expect(status.out).toMatch(/^balances +0 +0 +ok$/m)
  expect(status.out).toMatch(/^journal .*not built yet/m)
  const { rows } = await pool.query('select user_id, status from balances.accounts')
  expect(rows).toEqual([{ user_id: 1, status: 'active' }])

  await pool.query("update projections.checkpoints set version = 0 where name = 'balances'")
  expect((await projections('status')).out).toMatch(/^balances .*outdated: of version 0/m)
  await pool.query('update balances.accounts set used_quota = 5')
  const strict = await projections('rebuild', 'balances', 'tokens')
  expect(strict).toMatchObject({ code: 1, err: expect.stringContaining('user 1: ') as string })
  const accept = 'To accept: npm run projections -- swap balances --accept'
  expect(strict.err).toContain(accept)
  const after = (await projections('status')).out
  expect(after).toMatch(new RegExp(`^balances/next .*waits: 1 key differs.*${accept}$`, 'm'))
  // The refused copy did not keep the next from being built.
  expect(after).toMatch(/^tokens +0 +0 +ok$/m)
  const swapped = await projections('swap', 'balances', '--accept')
  expect(swapped).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 key differs') as string,
  })
  expect((await pool.query('select used_quota from balances.accounts')).rows).toEqual([
    { used_quota: 0 },
  ])
})

test.each([
  [['rebuild'], 'Say which read model to rebuild.'],
  [['swap', '--accept'], 'Say which read model to swap.'],
  [['status', 'balances'], 'status is of all: "balances" is too much.'],
  [['rebuild', 'nothing'], 'There is no read model "nothing".'],
  [['swap', 'balances'], 'say --accept'],
  [['destroy'], 'There is no command "destroy".'],
])('given %j, when it is run, then it fails and says what can be done', async (words, problem) => {
  const { code, err } = await projections(...words)
  expect(code).toBe(1)
  expect(err).toContain(problem)
  expect(err).toContain('Read models: balances, journal, usage-log')
})
