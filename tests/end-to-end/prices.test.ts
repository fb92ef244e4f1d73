import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { amountOf } from '@tollgate/domain/pricing/charge.ts'
import { findPrice } from '@tollgate/domain/pricing/price-book.ts'
import { readBooks } from '@tollgate/projections/replays/books.ts'
import { revisionAnswer } from '@tollgate/projections/prices/answers.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { call, chat, type Furnished, furnish, MODEL } from '../api/furnished.ts'
import { until } from '../support/processes.ts'

let furnished: Furnished
beforeAll(async () => {
  furnished = await furnish()
}, 60_000)
afterAll(() => furnished.stop(), 30_000)

const page = z.object({ items: z.array(revisionAnswer), in_force: z.int() })
const revisions = async () =>
  page.parse((await call(furnished, furnished.admin, 'GET', '/api/ledger/prices')).data)

const save = (body: object) => call(furnished, furnished.root, 'POST', '/api/ledger/prices', body)

async function charges(): Promise<readonly UsageCharged['data'][]> {
  const sql = `select data from ledger.events where type = 'UsageCharged' order by position`
  const { rows } = await furnished.whole.database.pool.query<{ data: string }>(sql)
  return rows.map(({ data }) => JSON.parse(data) as UsageCharged['data'])
}

test('given a plan one second ahead, when requests go on, then each is charged by exactly one book', async () => {
  const before = (await revisions()).in_force
  const effectiveAt = Date.now() + 1_000
  const saved = await save({
    options: { ModelRatio: JSON.stringify({ [MODEL]: 40 }) },
    effective_at: effectiveAt,
    base: before,
    note: 'dearer',
  })
  expect(saved).toMatchObject({ success: true, data: { status: 'planned' } })
  const asking = async (): Promise<void> => {
    while (Date.now() < effectiveAt + 500) await chat(furnished)
  }
  await Promise.all([asking(), asking(), asking(), asking()])
  const all = await charges()
  await until('the charges are counted', async () => {
    const { items } = await revisions()
    return items.reduce((sum, one) => sum + one.charges, 0) === all.length
  })
  const { items, in_force: inForce } = await revisions()
  const planned = items.find(({ note }) => note === 'dearer')
  expect(planned).toMatchObject({ number: inForce, status: 'in-force', username: 'root' })
  const books = await readBooks(furnished.whole.tollgate.engines.store)
  for (const { request, amount } of all) {
    const { price, usage, model, group, startedAt, admittedAt } = request
    const isNew = price.bookRevision === planned?.revision
    // Priced between the two: after the request came, before it was admitted.
    if (startedAt >= effectiveAt) expect(isNew).toBe(true)
    if (admittedAt !== null && admittedAt < effectiveAt) expect(isNew).toBe(false)
    const found = findPrice(books.book(price.bookRevision), {
      model,
      group,
      acceptsUnsetRatio: false,
    })
    expect(found.status === 'priced' && amountOf(found.price, usage)).toBe(amount)
  }
  const counted = all.filter(({ request }) => request.price.bookRevision === planned?.revision)
  expect(planned?.charges).toBe(counted.length)
  expect(counted.length).toBeGreaterThan(0)
  expect(counted.length).toBeLessThan(all.length)
}, 60_000)
