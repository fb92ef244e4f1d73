import { randomBytes } from 'node:crypto'
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NewEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import { readChain } from '@tollgate/tests/golden/chain-file.ts'
import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyLog } from '../audit/verify-log.ts'
import { openPostgresEventStore } from '../event-store/postgres/store.ts'
import { migrate } from '../postgres/migrate.ts'
import { sourceMigrations } from '../postgres/source-migrations.ts'
import { systemClock } from '../processes/runtime.ts'
import { backUp, type BackUpOptions } from './back-up.ts'
import { checksumOf } from './checksums.ts'
import { CHECKSUMS_FILE, writeChecksums } from './checksums.ts'
import { KEY_FILE, type Manifest, MANIFEST_FILE } from './manifest.ts'
import { restore, type RestoreOptions } from './restore.ts'
import { LEFT_OUT, SAVED_TABLES } from './saved-tables.ts'

const KEY = randomBytes(32)
const VERSION = '1.4.2'
const NOW = Date.UTC(2026, 5, 7)
const TEXTS = ['tab\tand\nline', 'back\\slash \\N', '中文 "x"', '\u0000 and \ud800 escaped']
const logger = { info() {}, warn() {}, debug() {} }

let folder: string
let source: TestDatabase
/** A backup of `source`, key included. */
let backup: string
const databases: TestDatabase[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-backups-'))
  source = await emptyDatabase()
  await fill(source)
  backup = join(folder, 'backup')
  await save({ folder: backup })
})
afterAll(async () => {
  for (const database of databases) await database.drop()
  await rm(folder, { recursive: true })
})

describe('what is saved', () => {
  test('given every table of the migrations, when looked for, then it is saved or left out with a reason', async () => {
    const { rows } = await source.pool.query<{ schema: string; name: string }>(
      `select schemaname as schema, schemaname || '.' || tablename as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema', 'tollgate') order by 1`,
    )
    expect(rows.length).toBeGreaterThan(SAVED_TABLES.length)
    const isLeftOut = (name: string): boolean => Object.hasOwn(LEFT_OUT, name)
    const decided = rows.filter(({ schema, name }) => !isLeftOut(schema) && !isLeftOut(name))
    expect(decided.map(({ name }) => name).toSorted()).toEqual(SAVED_TABLES.toSorted())
  })

  test('given a backup, when restored into an empty database, then every row is the same and ids go on', async () => {
    const target = await emptyDatabase()
    const manifest = await load(target)
    expect(manifest).toMatchObject({ headPosition: 3, takenAt: new Date(NOW).toISOString() })
    for (const table of SAVED_TABLES) {
      const saved = await rowsOf(source, table)
      expect(saved.length).toBeGreaterThan(0)
      // In the log, the event that opens another timeline comes behind all that was saved.
      if (table === 'ledger.head') continue
      const restored = await rowsOf(target, table)
      expect(restored.slice(0, saved.length)).toEqual(saved)
      expect(restored.length - saved.length).toBe(table === 'ledger.events' ? 2 : 0)
    }
    const { rows } = await target.pool.query(
      `insert into identity.users (username) values ('new') returning id`,
    )
    // Three were made, and the last one's row was taken back: its id is not given again.
    expect(rows).toEqual([{ id: 4 }])
    const sessions = await target.pool.query('select * from identity.sessions')
    expect(sessions.rows).toEqual([])
    // The migrations are known as done, so a start has nothing to do.
    expect(await migrate(target.pool, sourceMigrations)).toEqual([])
  })

  test('given a log of several pages, when backed up, then all pages are there and progress tells them', async () => {
    const pages: number[] = []
    const paged = join(folder, 'paged')
    await save({ folder: paged, eventsAtOnce: 3, onProgress: ({ events }) => pages.push(events) })
    expect(pages).toEqual([3, 4])
    const target = await emptyDatabase()
    await load(target, { folder: paged })
    const saved = await rowsOf(source, 'ledger.events')
    expect((await rowsOf(target, 'ledger.events')).slice(0, saved.length)).toEqual(saved)
  })

  test('given a backup, when looked at, then nobody else can read it', async () => {
    expect((await stat(backup)).mode & 0o777).toBe(0o700)
    for (const file of await readdir(backup)) {
      expect((await stat(join(backup, file))).mode & 0o777).toBe(0o600)
    }
  })

  test('given a folder that is not empty, when backed up to, then it is refused and left alone', async () => {
    const before = await readdir(backup)
    await expect(save({ folder: backup })).rejects.toThrow(/is there already and is not empty/)
    expect(await readdir(backup)).toEqual(before)
    expect((await readdir(folder)).filter((name) => name.includes('unfinished'))).toEqual([])
  })

  test('given a database that fails halfway, when backed up, then nothing is left behind', async () => {
    const broken = await emptyDatabase()
    await migrate(broken.pool, sourceMigrations)
    await broken.pool.query('drop table secrets.options')
    await expect(save({ databaseUrl: broken.url, folder: join(folder, 'broken') })).rejects.toThrow(
      /secrets\.options/,
    )
    expect((await readdir(folder)).filter((name) => name.startsWith('broken'))).toEqual([])
  })

  test('given an earlier version’s backup, when restored, then later migrations are left to the start', async () => {
    const earlier = await emptyDatabase()
    const isLater = ({ id }: { readonly id: string }): boolean => !/^(ledger|identity)-/.test(id)
    await migrate(
      earlier.pool,
      sourceMigrations.filter((one) => !isLater(one)),
    )
    const saved = await save({ databaseUrl: earlier.url, folder: join(folder, 'earlier') })
    expect(saved.tables.map(({ name }) => name)).not.toContain('process_manager.pending')
    const target = await emptyDatabase()
    await load(target, { folder: join(folder, 'earlier') })
    const later = sourceMigrations.filter(isLater).map(({ id }) => id)
    expect(later.length).toBeGreaterThan(0)
    expect(await migrate(target.pool, sourceMigrations)).toEqual(later)
  })

  test('given a log from before its chain columns, when restored, then it is whole and goes on', async () => {
    const earlier = await emptyDatabase()
    const before = sourceMigrations.findIndex(({ id }) => id === 'ledger-0005-chain-columns')
    await migrate(earlier.pool, sourceMigrations.slice(0, before))
    const { pool } = earlier
    const identity = sourceMigrations.filter(({ id }) => !id.startsWith('ledger-'))
    await migrate(pool, identity)
    const events = await readChain()
    for (const one of events) {
      await pool.query('insert into ledger.events values ($1, $2, $3, $4, $5, now(), $6, $7)', [
        one.position,
        one.stream,
        one.revision,
        one.id,
        one.type,
        one.dataText,
        one.metadataText,
      ])
    }
    await pool.query('update ledger.head set position = $1', [events.length - 1])
    await save({ databaseUrl: earlier.url, folder: join(folder, 'bare-log') })
    const target = await emptyDatabase()
    await load(target, { folder: join(folder, 'bare-log') })
    const { url } = target
    const store = openPostgresEventStore({
      pool: target.pool,
      databaseUrl: url,
      logger: { info() {}, warn() {}, error() {} },
      clock: systemClock,
    })
    try {
      // Two events of the timeline that a restored log begins stand behind.
      expect(await verifyLog(store)).toMatchObject({ firstBreak: null, events: events.length + 2 })
    } finally {
      await store.close()
    }
  })
})

describe('the key', () => {
  test('given an empty data folder, when restored, then the key file is there for its owner alone', async () => {
    const dataDir = join(folder, 'data')
    await restore({ ...restoring, dataDir, databaseUrl: null })
    expect((await readFile(join(dataDir, KEY_FILE), 'utf8')).trim()).toBe(KEY.toString('base64'))
    expect((await stat(join(dataDir, KEY_FILE))).mode & 0o777).toBe(0o600)
    expect((await readdir(dataDir)).toSorted()).toEqual([KEY_FILE, 'postgres'])
  })

  test('given a backup without its key, when restored, then only with the right MASTER_KEY', async () => {
    const keyless = join(folder, 'keyless')
    await save({ folder: keyless, isKeyIncluded: false })
    expect(await readdir(keyless)).not.toContain(KEY_FILE)
    const target = await emptyDatabase()
    await expect(load(target, { folder: keyless })).rejects.toThrow(/made without its key/)
    const wrong = { folder: keyless, masterKey: randomBytes(32) }
    const refused = load(target, wrong)
    await expect(refused).rejects.toThrow(/MASTER_KEY is not the one .* ran with then$/)
    // There is a key to fall back on where the backup has one.
    const other = load(target, { masterKey: randomBytes(32) })
    await expect(other).rejects.toThrow(/or unset it to use the key in the backup$/)
    await load(target, { folder: keyless, masterKey: KEY, dataDir: join(folder, 'untouched') })
    expect(await rowsOf(target, 'secrets.options')).toHaveLength(1)
    await expect(stat(join(folder, 'untouched'))).rejects.toThrow(/ENOENT/)
  })
})

describe('refusing', () => {
  test('given a folder with data, when restored into, then it refuses and touches nothing', async () => {
    const dataDir = join(folder, 'used')
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'something'), 'kept')
    await expect(restore({ ...restoring, dataDir, databaseUrl: null })).rejects.toThrow(
      /is not empty \(it has something\)/,
    )
    expect(await readdir(dataDir)).toEqual(['something'])
  })

  test('given a folder with nothing but charges that wait, when restored into, then they stay', async () => {
    const dataDir = join(folder, 'spooled')
    await mkdir(join(dataDir, 'spool'), { recursive: true })
    await writeFile(join(dataDir, 'spool', '1-a.jsonl'), '{}')
    await restore({ ...restoring, dataDir, databaseUrl: null })
    expect((await readdir(dataDir)).toSorted()).toEqual([KEY_FILE, 'postgres', 'spool'])
    expect(await readdir(join(dataDir, 'spool'))).toEqual(['1-a.jsonl'])
  })

  test('given a database with data, when restored into, then it refuses', async () => {
    await expect(load(source)).rejects.toThrow(/the database at DATABASE_URL is not empty/)
  })

  test('given no backup, when restored, then it says so', async () => {
    await expect(restoreChanged(async () => undefined, tmpdir())).rejects.toThrow(/is no backup/)
  })

  test.each<[string, (copy: string) => Promise<unknown>, RegExp]>([
    [
      'a byte more in a table',
      (copy) => appendFile(join(copy, 'ledger.events.copy.gz'), 'x'),
      /ledger\.events\.copy\.gz has another checksum/,
    ],
    [
      'a missing table',
      (copy) => rm(join(copy, 'secrets.tokens.copy.gz')),
      /secrets\.tokens\.copy\.gz cannot be read/,
    ],
    ['no checksums', (copy) => rm(join(copy, CHECKSUMS_FILE)), /SHA256SUMS is missing/],
    [
      'another key',
      (copy) => writeFile(join(copy, KEY_FILE), randomBytes(32).toString('base64')),
      /master\.key has another checksum/,
    ],
    ['half a manifest', (copy) => writeFile(join(copy, MANIFEST_FILE), '{'), /is not what was/],
    ['a later format', (copy) => revise(copy, () => ({ format: 2 })), /has format 2, and this/],
    [
      'a later version',
      (copy) => revise(copy, () => ({ tollgate: '1.10.0' })),
      /written by version 1\.10\.0/,
    ],
    [
      'an unknown migration',
      (copy) => revise(copy, () => ({ migrations: [{ id: 'later-0001', sha256: '' }] })),
      /later-0001, which this version does not know/,
    ],
    [
      'another text of a migration',
      (copy) =>
        revise(copy, ({ migrations }) => ({
          migrations: migrations.map(({ id }) => ({ id, sha256: 'other' })),
        })),
      /ledger-0001-events, which this version does not know in that form/,
    ],
    [
      'an unknown table',
      (copy) =>
        revise(copy, ({ tables }) => ({
          tables: [...tables, { name: 'pg_catalog.pg_authid', columns: ['rolname'], rows: 1 }],
        })),
      /it holds pg_catalog\.pg_authid/,
    ],
    [
      'rows that are not there',
      (copy) =>
        revise(copy, ({ tables }) => ({
          tables: tables.map((table) => ({ ...table, rows: table.rows + 1 })),
        })),
      /rows came in, the backup says/,
    ],
    [
      'a head that the log has not',
      (copy) => revise(copy, () => ({ headPosition: 7 })),
      /not whole/,
    ],
  ])('given %s, when restored, then nothing appears in place', async (_, change, message) => {
    await expect(restoreChanged(change)).rejects.toThrow(message)
  })
})

const restoring = {
  get folder() {
    return backup
  },
  log: null,
  masterKey: null,
  version: VERSION,
  logger,
  onProgress: () => undefined,
} as const

/** Restores a changed copy into a data folder, and expects that folder to stay empty. */
async function restoreChanged(
  change: (copy: string) => Promise<unknown>,
  from = backup,
): Promise<void> {
  const copy = await mkdtemp(join(folder, 'changed-'))
  if (from === backup) await cp(backup, copy, { recursive: true })
  await change(copy)
  const dataDir = join(copy, 'data')
  await mkdir(dataDir)
  try {
    await restore({ ...restoring, folder: copy, dataDir, databaseUrl: null })
  } finally {
    expect(await readdir(dataDir)).toEqual([])
  }
}

/** Changes the manifest as another Tollgate would have written it: its checksum is right. */
async function revise(copy: string, change: (manifest: Manifest) => object): Promise<void> {
  const path = join(copy, MANIFEST_FILE)
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest
  await writeFile(path, JSON.stringify({ ...manifest, ...change(manifest) }))
  const files = (await readdir(copy)).filter((file) => file !== CHECKSUMS_FILE)
  const sums = files.map(async (file) => [file, await checksumOf(join(copy, file))] as const)
  await writeChecksums(copy, new Map(await Promise.all(sums)))
}

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  databases.push(database)
  return database
}

const save = (changes: Partial<BackUpOptions> & { readonly folder: string }): Promise<Manifest> =>
  backUp({
    databaseUrl: source.url,
    masterKey: KEY,
    isKeyIncluded: true,
    readLog: null,
    version: VERSION,
    now: NOW,
    onProgress: () => undefined,
    ...changes,
  })

const load = async (
  target: TestDatabase,
  changes: Partial<RestoreOptions> = {},
): Promise<Manifest> => {
  const dataDir = join(folder, 'data-of-database')
  const restored = await restore({ ...restoring, dataDir, databaseUrl: target.url, ...changes })
  return restored.manifest
}

async function rowsOf(database: TestDatabase, table: string): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ row: string }>(
    `select t::text as row from ${table} t order by 1`,
  )
  return rows.map(({ row }) => row)
}

/** Rows in every saved table, with every kind of value that COPY writes in a way of its own. */
async function fill(database: TestDatabase): Promise<void> {
  const { pool, url } = database
  await migrate(pool, sourceMigrations)
  await pool.query(`insert into identity.users (username, setting, access_token_hash, deleted_at)
    values ('ann', E'{"a":"\\\\t"}\\n', '\\x00ff0a5c', now()), ('bob', '', null, null), ('gone', '', null, null)`)
  await pool.query(`delete from identity.users where username = 'gone'`)
  await pool.query(`insert into identity.setup (version, initialized_at) values ('1', now())`)
  await pool.query(`insert into identity.sessions (id, token_hash, user_id, created_at, expires_at)
    values (gen_random_uuid(), '\\x01', 1, now(), now())`)
  for (const table of ['secrets.tokens (user_id, ', 'secrets.channels (']) {
    await pool.query(`insert into ${table}name, key_hash, key_ciphertext, created_at)
      values (${table.includes('user_id') ? '1, ' : ''}'名字', '\\x5c2e', '\\x0d0a09', now())`)
  }
  await pool.query(`insert into secrets.redemptions (name, code_hash, code_ciphertext, created_at)
    values ('名字', '\\x5c2e', '\\x0d0a09', now())`)
  await pool.query(`insert into secrets.options (key, ciphertext) values ('SMTPToken', '\\xff')`)
  await pool.query(`insert into process_manager.checkpoint (position) values (2)`)
  await pool.query(`insert into process_manager.pending (process_id, kind, next_attempt_at, since)
    values ('identity.users/1', 'user-row', now(), now())`)
  await pool.query(`insert into identity.notifications
    (user_id, type, causation_id, title, content, content_values, happened_at, recorded_at)
    values (1, 'adjustment', 'e1', 't', 'c', '[]', now(), now())`)
  await pool.query(`insert into identity.quota_watch (position) values (1)`)
  await pool.query(`insert into identity.quota_warnings (user_id, warned_at) values (1, now())`)
  await pool.query(`insert into identity.posted_requests
    (id, user_id, operation, key_hash, contents_hash, position, expires_at)
    values (gen_random_uuid(), 1, 'aff_transfer', '\\\\x01', '\\\\x02', 7, now())`)
  await pool.query(`insert into identity.used_signatures values ('\\\\x01', now())`)
  await pool.query(`insert into telemetry.channel_tests
    (test_id, channel_id, at, model, succeeded, duration_ms, error, is_logged)
    values (gen_random_uuid(), 3, 1, '模', true, 1.5, '', true)`)
  await pool.query(`insert into telemetry.channel_balances (channel_id, at, balance_usd)
    values (3, 1, '2.5')`)
  await pool.query(`insert into identity.adjustment_notes (user_id, words) values (1, 'told')`)
  await pool.query(
    `insert into identity.token_addresses (user_id, addresses) values (1, array['::1'])`,
  )
  await pool.query(`insert into identity.task_payloads
    (user_id, platform, channel_id, upstream_id, submission, prompt, created_at)
    values (1, 'mj', 3, '1', '{"code":1}', E'猫\t\n', now())`)
  const store = openPostgresEventStore({
    pool,
    databaseUrl: url,
    logger: { info() {}, warn() {}, error() {} },
    clock: systemClock,
  })
  await store.append('account-1', TEXTS.map(eventOf), EMPTY_STREAM)
  await store.close()
}

const eventOf = (reason: string): NewEvent => ({
  id: crypto.randomUUID(),
  type: 'QuotaCredited',
  data: { at: 1, amount: 1, source: 'grant', reason } as NewEvent['data'],
  metadata: { actor: 'system', correlationId: reason, causationId: null, schemaVersion: 1 },
})
