import { readFile } from 'node:fs/promises'
import {
  startStandInUpstream,
  type StandInUpstream,
} from '@tollgate/infra/demo/stand-in-upstream.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ConsoleClient } from '../support/console-client.ts'
import { createTestDatabase, type TestDatabase } from '../support/engines/database.ts'
import { ROOT } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'
import { runCommand } from '../support/run-command.ts'

/** An installation that commit d4bfc43 left behind, started by today's Tollgate (golden/databases). */
const OLD = new URL('../golden/databases/d4bfc43.sql', import.meta.url)
const AUDIT_CLI = new URL('../../infra/processes/commands/audit-cli.ts', import.meta.url)
const MASTER_KEY = Buffer.from('a master key for a golden file!!').toString('base64')
const PASSWORD = 'long-enough-2'
/** Quota, used quota and requests of each user, as d4bfc43 answered them. */
const FIGURES = [
  ['gone', 99_790, 210, 2],
  ['late', 5_011_295, 1_050, 10],
  ['root', 100_000_000, 0, 0],
  ['susp', 99_790, 210, 2],
]
const KEYS = {
  free: 'eQFgbozfj5wQNhlwL0U8jIpx03TMDBkw12DZZCvumTdmv7DC',
  limited: '28Ks3x673To6IkIudiSL54kDXXHVchLBCaIno6YqenRj2BHi',
  deleted: '5LwCfgeSUsMvPIquuMIKpGWa3NG5DWSuHEhsA4hii5cPS2OH',
  ofSuspended: '8MOnhNpPS6omNvY0N5aIVAh97i8rBSOYG3Hm7LYpmPzTtFyu',
} as const
const CODES = {
  used: '5d0bd231bfc418231d3c073fd02cef98',
  fresh: '7d2298f14285caaf050d823376a4baa3',
}

let database: TestDatabase
let upstream: StandInUpstream
let product: SingleProduct
let root: ConsoleClient

beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(await readFile(OLD, 'utf8'))
  upstream = await startStandInUpstream()
  product = await startSingleProduct({ env: env() })
  root = new ConsoleClient(product.url)
  await root.logIn(ROOT.username, ROOT.password)
})
afterAll(async () => {
  await product.dispose()
  await upstream.stop()
  await database.drop()
})

const env = () => ({ DATABASE_URL: database.url, MASTER_KEY })

const ask = (key: string): Promise<Response> =>
  fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'up-model', messages: [{ role: 'user', content: 'hello' }] }),
  })

const status = async (key: string): Promise<number> => (await ask(key)).status

const listed = z.array(
  z.object({
    username: z.string(),
    quota: z.number(),
    used_quota: z.number(),
    request_count: z.number(),
  }),
)

async function figures(): Promise<readonly unknown[]> {
  const users = await root.ask('GET', '/api/user/?p=0&page_size=100', z.object({ items: listed }))
  return users.items
    .map((user) => [user.username, user.quota, user.used_quota, user.request_count] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

test('given a database of d4bfc43, when started on it, then every read model is of this version', async () => {
  const expected = readModels.map(({ name, version }) => ({ name, version, failure: null }))
  await until('every read model is built anew', async () => {
    const { rows } = await database.pool.query(
      'select name, version, failure from projections.checkpoints',
    )
    expect(rows.filter(({ failure }) => failure !== null)).toEqual([])
    return rows.length === expected.length && rows.every((row) => !row.name.endsWith('/next'))
  })
  const { rows } = await database.pool.query(
    'select name, version, failure from projections.checkpoints',
  )
  expect(rows).toEqual(expect.arrayContaining(expected))
})

test('given a database of d4bfc43, when started on it, then the figures are what they were', async () => {
  expect(await figures()).toEqual(FIGURES)
})

test('given keys and codes of d4bfc43, when they are used, then they do what they did', async () => {
  await root.reviseChannel(1, { base_url: upstream.url })
  await until('the channel serves', async () => (await status(KEYS.free)) === 200)
  expect(await status(KEYS.limited)).toBe(200)
  expect(await status(KEYS.deleted)).toBe(401)
  expect(await status(KEYS.ofSuspended)).toBe(403)
  const user = new ConsoleClient(product.url)
  await user.logIn('late', PASSWORD)
  expect(await user.send('POST', '/api/user/topup', { key: CODES.used })).toMatchObject({
    success: false,
  })
  expect(await user.send('POST', '/api/user/topup', { key: CODES.fresh })).toMatchObject({
    success: true,
    data: 12_345,
  })
  await until('the charges are visible', async () => (await user.self()).request_count >= 12)
})

test.for(['verify', 'reconcile', 'trial-balance'])(
  'given a log that d4bfc43 began, when "%s" looks through it, then it agrees',
  async (proof) => {
    expect(await runCommand(AUDIT_CLI, [proof], env())).toMatchObject({ code: 0 })
  },
)
