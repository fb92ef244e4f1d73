import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { createTestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { promptForQueries, runQuery, SqlRefused } from './sql-session.ts'

/** Runs `npm run sql` as a person would; never throws. */
function sql(dataDir: string, ...args: string[]): Promise<{ code: number; out: string }> {
  const script = fileURLToPath(new URL('sql.ts', import.meta.url))
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir }
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout + stderr })
    })
  })
}

describe('npm run sql', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tollgate-sql-'))
  })
  afterAll(() => rm(dataDir, { recursive: true }))

  test('given a folder without data, when asked, then it says where to start and makes nothing', async () => {
    const { code, out } = await sql(dataDir, 'select 1')
    expect(code).toBe(1)
    expect(out).toMatch(/there is no database in .*npm start/)
  })

  test('given a running and later a stopped Tollgate, when asked, then both times the same table answers', async () => {
    const logger = { info() {}, warn() {}, debug() {} }
    const postgres = await startEmbeddedPostgres({ dataDir, logger })
    const made = await sql(dataDir, 'create table fruit as select 7 as pieces')
    const whileRunning = await sql(dataDir, 'select * from fruit')
    await postgres.stop()
    const whileStopped = await sql(dataDir, 'select * from fruit')
    expect(made).toEqual({ code: 0, out: 'SELECT 1\n' })
    expect(whileRunning).toEqual({ code: 0, out: 'pieces\n------\n     7\n(1 row)\n' })
    expect(whileStopped).toEqual(whileRunning)
  })
})

describe('queries', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  test('given numbers, text, wide characters, nothing and lines, when shown, then columns line up', async () => {
    const shown = await runQuery(
      database.url,
      `select * from (values (5::int8, '默认', true), (12000, 'a
b', null)) as v(quota, name, "isOn")`,
    )
    expect(shown.split('\n')).toEqual([
      'quota | name | isOn',
      '------+------+-----',
      '    5 | 默认 | t',
      '12000 | a↵b  |',
      '(2 rows)',
    ])
  })

  test('given several statements, when run, then each one says what it did', async () => {
    const shown = await runQuery(
      database.url,
      'create table t (x int); insert into t values (1), (2); select x from t where x > 5',
    )
    expect(shown).toBe('CREATE\n\nINSERT 2\n\nx\n-\n(0 rows)')
  })

  test('given a mistake, when run, then the place and the hint are shown', async () => {
    const refusal = runQuery(database.url, 'select 1,\n  lenght(1)')
    await expect(refusal).rejects.toThrow(SqlRefused)
    await expect(refusal).rejects.toThrow(
      /LINE 2: {3}lenght\(1\)\n {10}\^\nHINT: No function matches/,
    )
  })

  test('given a prompt, when a statement spans lines and another fails, then both are answered', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const prompt = promptForQueries(database.url, input, output)
    input.end('select\n  1 as one;\nselect oops;\nselect 2 as two;\n')
    await prompt
    output.end()
    const shown = await text(output)
    expect(shown).toMatch(/one\n---\n {2}1\n\(1 row\)/)
    expect(shown).toContain('ERROR: column "oops" does not exist')
    expect(shown).toMatch(/two\n---\n {2}2/)
  })
})
