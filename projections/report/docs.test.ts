import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readModels } from '../read-models.ts'
import { makeReport, REPORT_ROLE } from './views.ts'

const run = promisify(execFile)
const PASSWORD = 'choose-one'
const has = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { timeout: 30_000 }).status === 0

let log: ProjectionLog
let folder: string
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  log = await openProjectionLog()
  folder = await mkdtemp(join(tmpdir(), 'tollgate-report-'))
  await log.append('account-1', { type: 'AccountOpened', data: { at: Date.UTC(2026, 10, 3) } })
  await log.project(readModels)
  await makeReport(log.pool)
  await log.pool.query(`alter role ${REPORT_ROLE} login password '${PASSWORD}'`)
  const url = new URL(log.url)
  url.username = REPORT_ROLE
  url.password = PASSWORD
  env = { ...process.env, REPORT_URL: url.href }
})
afterAll(async () => {
  await log.pool.query(`alter role ${REPORT_ROLE} nologin`)
  await log.close()
  await rm(folder, { recursive: true })
})

/** The code below a heading of docs/analysis.md. */
async function codeUnder(heading: string): Promise<string> {
  const docs = await readFile(new URL('../../docs/analysis.md', import.meta.url), 'utf8')
  const section = docs.split(/^## /mu).find((text) => text.startsWith(heading))
  const code = /```\w+\n([^]*?)```/u.exec(section ?? '')?.[1]
  if (code === undefined) throw new Error(`docs/analysis.md has no code under ${heading}`)
  return code
}

test.skipIf(!has('psql', '--version'))(
  'given the query for psql, when run as the role of analysts, then it is answered',
  async () => {
    const { stdout } = await run('sh', ['-c', await codeUnder('psql')], { env })
    expect(stdout).toMatch(/day .*username .*dollars/u)
  },
)

test.skipIf(!has('python3', '-c', 'import pandas, sqlalchemy, psycopg'))(
  'given the query for pandas, when run as the role of analysts, then it is answered',
  async () => {
    const { stdout } = await run('python3', ['-c', await codeUnder('pandas')], { env })
    expect(stdout).toContain('dollars')
  },
)

test.skipIf(!has('python3', '-c', 'import duckdb; duckdb.sql("INSTALL postgres; LOAD postgres")'))(
  'given the queries for DuckDB, when run as the role of analysts, then CSV and Parquet are written',
  async () => {
    await run('python3', ['-c', await codeUnder('DuckDB')], { env, cwd: folder })
    expect(await readFile(join(folder, 'daily_cost.csv'), 'utf8')).toContain('username')
    expect((await readFile(join(folder, 'usage.parquet'))).subarray(0, 4).toString()).toBe('PAR1')
  },
)
