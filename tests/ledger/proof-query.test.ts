import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { until } from '../support/processes.ts'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'

let whole: WholeTollgate

beforeAll(async () => {
  whole = await startWholeTollgate()
}, 60_000)
afterAll(() => whole?.stop(), 30_000)

const rows = z.array(z.looseObject({ account: z.coerce.number(), adds_up: z.boolean().nullable() }))

test('given accounts with and without credits, when the docs’ query is asked, then each adds up', async () => {
  await whole.root.ask('POST', '/api/user/', z.unknown(), {
    username: 'penniless',
    password: 'long-enough-1',
  })
  const readme = await readFile(new URL('../../docs/proof.md', import.meta.url), 'utf8')
  const query = /npm run sql -- "\n(with ledger[^"]+)"/.exec(readme)?.[1]
  if (query === undefined) throw new Error('docs/proof.md has no query')
  const asked = async () => rows.parse((await whole.database.pool.query(query)).rows)
  // The account is in the ledger at once and in the balances a moment later.
  await until('the balances have the new account', async () => (await asked()).length > 1)
  const accounts = await asked()
  expect(accounts.map(({ account, adds_up: addsUp }) => [account, addsUp])).toEqual(
    accounts.map(({ account }) => [account, true]),
  )
})
