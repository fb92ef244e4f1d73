import { readFile } from 'node:fs/promises'
import { userStore } from '@tollgate/command-api/identity/user-store.ts'
import { redemptionProcesses } from '@tollgate/command-api/redemptions/processes.ts'
import { channelSecrets } from '@tollgate/command-api/secrets/channel-secrets.ts'
import {
  type RedemptionSecrets,
  redemptionSecrets,
} from '@tollgate/command-api/secrets/redemption-secrets.ts'
import { tokenSecrets } from '@tollgate/command-api/secrets/token-secrets.ts'
import type { RowKind } from '@tollgate/command-api/ledger/process-manager/process-kind.ts'
import { drive } from '@tollgate/command-api/ledger/process-manager/drive.ts'
import { type SweeperDeps, unfinishedRows } from '@tollgate/command-api/sweeper.ts'
import { issueToken } from '@tollgate/command-api/tokens/issue-token.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { redemptionId } from '@tollgate/domain/ids.ts'
import { NO_QUOTA } from '@tollgate/domain/quota.ts'
import { type CommandApiGround, openCommandApiGround } from '@tollgate/tests/support/command-api.ts'
import { createTestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../postgres/migrate.ts'
import { sourceMigrations } from '../postgres/source-migrations.ts'

/**
 * README.md, "Backup and restore": with the log in an engine of its own, rows are saved after it and may be newer. Its
 * statements mark them, and the sweeper of the next start does the rest.
 */
let ground: CommandApiGround
let deps: SweeperDeps
let codes: RedemptionSecrets
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const terms = { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] }

beforeAll(async () => {
  ground = await openCommandApiGround()
  deps = {
    ...ground,
    users: userStore(ground.pool),
    tokens: tokenSecrets(ground.pool, ground.vault, ground.clock),
    channels: channelSecrets(ground.pool, ground.vault, ground.clock),
  }
  codes = redemptionSecrets(ground.pool, ground.vault, ground.clock)
})
afterAll(() => ground.close())

const kinds = (): readonly RowKind[] =>
  [...unfinishedRows(deps, 0), ...redemptionProcesses({ ...deps, secrets: codes }, 0)].filter(
    (kind) => kind.from === 'row',
  )

/** What the process manager does with rows, once; answers how many were finished. */
async function sweep(): Promise<number> {
  let finished = 0
  for (const { find, steps } of kinds()) {
    for (const id of await find()) {
      const driven = await drive(steps(id), '', ground.clock, ground.signal)
      expect(driven).toMatchObject({ status: 'done' })
      finished++
    }
  }
  return finished
}

const insertUser = (username: string) =>
  deps.users.insert({
    username,
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 500,
    openingSource: 'sign-up',
  })
const typesOf = async (stream: string) => (await ground.eventsOf(stream)).map(({ type }) => type)

const readReadme = (): Promise<string> =>
  readFile(new URL('../../README.md', import.meta.url), 'utf8')

async function statementsOfReadme(): Promise<string> {
  const readme = await readReadme()
  const sql = /```sql\n-- newer than the log\n([^`]+)```/.exec(readme)?.[1]
  if (sql === undefined) throw new Error('README.md no longer has the statements')
  return sql.replaceAll('2026-11-21T10:00:00Z', '2000-01-01T00:00:00Z')
}

test('given rows newer than the log, when marked as the README says and swept, then they are in line with it and the others as before', async () => {
  // In the log and in the rows: touched since, but nothing may happen to them.
  const old = await insertUser('old')
  await sweep()
  const issued = await issueToken(
    { ...ground, secrets: deps.tokens },
    { user: old.id, name: 'old', remain: NO_QUOTA, terms, cause },
  )
  if (issued.status !== 'done') throw new Error(JSON.stringify(issued))
  const { token } = issued
  const key = (await deps.tokens.describe([token])).get(token)?.key ?? ''
  const before = await typesOf(accountStream(old.id))

  // In the rows alone, and there as if all had gone well.
  const recent = await insertUser('recent')
  const lost = await deps.tokens.insert({ userId: old.id, name: 'lost', key: 'k1' })
  const channel = await deps.channels.insert({ name: 'lost', key: 'k2', proxy: '' }, '1 ')
  const [code = redemptionId(1)] = await codes.insert('lost', ['k3'])
  await ground.pool.query(`update identity.users set is_pending = false, is_opened = true`)
  await ground.pool.query(`update secrets.tokens set is_pending = false`)
  await ground.pool.query(`update secrets.channels set is_pending = false`)
  await codes.confirm([code])

  await ground.pool.query(await statementsOfReadme())
  expect(await sweep()).toBe(6)

  expect(await typesOf(accountStream(recent.id))).toEqual(['AccountOpened', 'QuotaCredited'])
  expect(await deps.tokens.findByKey('k1')).toBeNull()
  expect((await deps.tokens.describe([lost])).get(lost)).toMatchObject({ key: '' })
  expect(await deps.channels.open(channel)).toBeNull()
  expect(await codes.findByCode('k3')).toBeNull()
  expect((await codes.describe([code])).get(code)).toMatchObject({ code: '' })
  expect(await typesOf(accountStream(old.id))).toEqual(before)
  expect(await deps.tokens.findByKey(key)).toEqual({ id: token, userId: old.id })
  expect(await sweep()).toBe(0)
})

test('given the schemas of all source tables, when the README says what to dump, then it names them all', async () => {
  const database = await createTestDatabase()
  try {
    await migrate(database.pool, sourceMigrations)
    const { rows } = await database.pool.query<{ name: string }>(
      `select nspname as name from pg_namespace
       where nspname !~ '^(pg_|information_schema$|public$)' order by 1`,
    )
    const dumped = /pg_dump --schema='([\w|]+)'/.exec(await readReadme())?.[1]?.split('|') ?? []
    expect(rows.map(({ name }) => name)).toEqual(dumped.toSorted())
  } finally {
    await database.drop()
  }
})
