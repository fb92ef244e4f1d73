import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import {
  type PostgresAuditedLog,
  postgresAuditedLog,
} from '@tollgate/tests/support/histories/audited-log.ts'
import { type CommandRun, runCommand } from '@tollgate/tests/support/run-command.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * The messages of an operator's commands for a database or a folder that they cannot work on: one line, and no more.
 */
let empty: TestDatabase
let log: PostgresAuditedLog
let folder: string
beforeAll(async () => {
  empty = await createTestDatabase()
  log = await postgresAuditedLog()
  folder = await mkdtemp(join(tmpdir(), 'tollgate-commands-'))
})
afterAll(async () => {
  await empty.drop()
  await log.close()
  await rm(folder, { recursive: true, force: true })
})

const command = (name: string, words: readonly string[], url: string): Promise<CommandRun> =>
  runCommand(new URL(`${name}-cli.ts`, import.meta.url), words, {
    DATABASE_URL: url,
    DATA_DIR: folder,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  })

const COMMANDS = [
  ['audit', ['verify'], 2],
  ['audit', ['reconcile'], 2],
  ['audit', ['seal'], 2],
  ['projections', ['status'], 1],
  ['projections', ['rebuild', 'all'], 1],
  ['backup', ['a-backup'], 1],
] as const

test.each(COMMANDS)(
  'given a database without a Tollgate, when %s %j is run, then it says so and leaves nothing there',
  async (name, words, code) => {
    const run = await command(name, words, empty.url)
    expect(run).toMatchObject({ code, out: '' })
    expect(run.err).toMatch(/^there is no Tollgate in this database \(.* has no ledger\.events\)/)
    const { rows } = await empty.pool.query(
      "select nspname from pg_namespace where nspname !~ '^(pg_|information_schema|public$)'",
    )
    expect(rows).toEqual([])
  },
)

// At once: each is patient for seconds before it gives up.
test.concurrent.each([
  ['audit', ['verify'], 2],
  ['projections', ['status'], 1],
  ['backup', ['a-backup'], 1],
  ['restore', ['a-backup'], 1],
] as const)(
  'given PostgreSQL away or refusing, when %s %j is run, then one line says where and what to do',
  async (name, words, code) => {
    const unavailable = await command(name, words, 'postgres://somebody@127.0.0.1:1/tollgate')
    expect(unavailable).toMatchObject({ code, out: '' })
    expect(unavailable.err).toMatch(
      /^PostgreSQL at 127\.0\.0\.1:1 does not answer \(.*\)\. Start it, or correct DATABASE_URL\.\n$/,
    )
    const other = new URL(empty.url)
    other.pathname = '/nobody-made-this'
    const unknown = await command(name, words, other.href)
    expect(unknown).toMatchObject({ code, out: '' })
    expect(unknown.err).toMatch(
      /^PostgreSQL at .* does not let Tollgate in \(database "nobody-made-this" does not exist\)\. Correct .*\n$/,
    )
  },
)

test.each(['/etc/hostname', '/proc/nope', '/sys/nope', '/etc/hostname/deeper'])(
  'given %s as the folder, when a backup is made, then one line says that it cannot be there',
  async (path) => {
    const run = await command('backup', [path], log.database.url)
    expect(run).toMatchObject({ code: 1, out: '' })
    expect(run.err).toMatch(/^\S+ cannot be used \(.*\): name a folder that .*\n$/)
  },
)

test('given read models that were never built, when reconciled, then that is no success', async () => {
  const run = await command('audit', ['reconcile'], log.database.url)
  expect(run.code).toBe(2)
  expect(run.out).toMatch(/\d+ read models were not compared\.\n$/)
})
