import type { Tollgate } from '@tollgate/infra/processes/tollgate.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { ConsoleClient } from '../support/console-client.ts'
import type { TestDatabase } from '../support/engines/database.ts'
import { until } from '../support/processes.ts'
import { PASSWORD, startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'

let whole: WholeTollgate
let database: TestDatabase
let tollgate: Tollgate
let root: ConsoleClient

beforeAll(async () => {
  whole = await startWholeTollgate()
  ;({ database, tollgate, root } = whole)
  await root.addUser('alice', PASSWORD, 70_000)
}, 60_000)
afterAll(() => whole.stop(), 30_000)

const job = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.enum(['running', 'done', 'failed']),
  progress: z.object({ events: z.number(), position: z.number(), head: z.number() }).nullable(),
  result: z.record(z.string(), z.unknown()).nullable(),
})
type Job = z.infer<typeof job>

/** Starts an audit and waits for its end. */
async function audit(path: string, body: unknown = {}): Promise<Job> {
  const started = await root.ask('POST', path, job, body)
  let seen = started
  await until(`${path} has ended`, async () => {
    seen = await root.ask('GET', `/api/audit/jobs/${started.id}`, job)
    return seen.status !== 'running'
  })
  return seen
}

const head = z.object({
  position: z.number(),
  seal: z.number(),
  root: z.string(),
  hash: z.string(),
  at: z.string(),
})

test('given a running Tollgate, when sealed and verified over HTTP, then the log is whole', async () => {
  expect((await root.send('GET', '/api/audit/head')).data).toBeNull()
  const sealed = await root.ask('POST', '/api/audit/seal', z.object({ made: z.number(), head }))
  expect(sealed).toMatchObject({ made: 1, head: { seal: 1 } })
  expect(await root.ask('GET', '/api/audit/head', head)).toEqual(sealed.head)

  await root.setOption('SystemName', 'after the seal')
  const verified = await audit('/api/audit/verify', { head: sealed.head })
  expect(verified).toMatchObject({
    kind: 'verify',
    status: 'done',
    result: { seals: 1, unsealed: 1, is_anchored: true, first_break: null },
  })
  expect(verified.progress?.position).toBe(await tollgate.engines.store.headPosition())

  const forged = { ...sealed.head, root: '0'.repeat(64) }
  expect((await audit('/api/audit/verify', { head: forged })).result).toMatchObject({
    is_anchored: false,
    first_break: { stream: 'ledger-seals', revision: 0, found: `root ${sealed.head.root}` },
  })
  expect(await root.send('POST', '/api/audit/verify', { head: { seal: 1 } })).toMatchObject({
    success: false,
    message: 'head.position 无效，请原样提交导出的 head',
  })
})

test('given a running Tollgate, when read models are compared over HTTP, then a changed figure is named', async () => {
  const position = await tollgate.engines.store.headPosition()
  await tollgate.projections.waitFor(
    readModels.map(({ name }) => name),
    position,
    10_000,
  )
  expect(await audit('/api/audit/reconcile')).toMatchObject({
    status: 'done',
    result: { differences: 0, first: [] },
  })
  await database.pool.query('update balances.accounts set wallet = wallet + 5 where wallet = 70000')
  expect((await audit('/api/audit/reconcile')).result).toMatchObject({
    differences: 2,
    first: [
      { model: 'balances', table: 'accounts', column: 'wallet', ledger: 70_000, found: 70_005 },
      { model: 'balances', table: 'accounts', column: 'posted', ledger: 70_000, found: 70_005 },
    ],
  })
})

test('given credits, when the trial balance is asked for, then the total is zero, now and before', async () => {
  const balance = z.object({
    at: z.string().nullable(),
    position: z.number(),
    rows: z.array(z.object({ account: z.string(), balance: z.string() })),
    total: z.object({ balance: z.string() }),
  })
  const now = await root.ask('GET', '/api/audit/trial-balance', balance)
  expect(now.total.balance).toBe('0')
  expect(
    Number(now.rows.find(({ account }) => account === 'wallet')?.balance),
  ).toBeGreaterThanOrEqual(70_000)
  const before = await root.ask(
    'GET',
    '/api/audit/trial-balance?at=2020-01-01T00:00:00Z&detail=each',
    balance,
  )
  expect(before).toMatchObject({ at: '2020-01-01T00:00:00.000Z', rows: [] })
})

test.each([
  ['at=noon', '参数 at 不是有效的时间'],
  ['at=2026-02-30', '参数 at 不是有效的时间'],
  ['at=2026-02-30T12:00:00Z', '参数 at 不是有效的时间'],
  ['at=1&position=1', 'at 与 position'],
  ['position=99999999', '参数 position 超出日志末尾'],
  ['detail=x', '参数 detail 只能是 each'],
])(
  'given the trial balance with %s, when asked for, then it is refused and not read as something else',
  async (query, message) => {
    expect(await root.send('GET', `/api/audit/trial-balance?${query}`)).toMatchObject({
      success: false,
      message: expect.stringContaining(message) as string,
    })
  },
)

test('given an unknown job, when asked for, then it is not found', async () => {
  expect(await root.send('GET', '/api/audit/jobs/none')).toMatchObject({
    status: 404,
    success: false,
  })
})

test('given an event that somebody changed, when verified over HTTP, then it is named', async () => {
  const { pool } = database
  await pool.query(`begin;
    alter table ledger.events disable trigger events_are_append_only;
    update ledger.events set data = replace(data, '70000', '70001') where data like '%70000%';
    alter table ledger.events enable trigger events_are_append_only;
    commit`)
  const { rows } = await pool.query<{ stream: string; revision: number; position: number }>(
    `select stream, revision, position from ledger.events where data like '%70001%' order by position limit 1`,
  )
  expect((await audit('/api/audit/verify')).result).toMatchObject({ first_break: rows[0] })
})
