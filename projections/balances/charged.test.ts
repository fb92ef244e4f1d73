import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { journal } from '../journal/projector.ts'
import { chargedAfter } from './charged.ts'
import { balances } from './projector.ts'

let log: ProjectionLog
let head: number
/** Positions of the charges, oldest first. */
const charges: { readonly position: number; readonly userId: number }[] = []

beforeAll(async () => {
  log = await openProjectionLog()
  const history = randomHistory({ seed: 5, steps: 400, users: 6 })
  for (const { stream, event } of history.events) {
    const position = await log.append(stream, event)
    if (event.type === 'UsageCharged') {
      charges.push({ position, userId: Number(stream.split('-')[1]) })
    }
  }
  await log.project([journal, balances])
  head = await log.store.headPosition()
})
afterAll(() => log.close())

const posted = async (): Promise<ReadonlyMap<number, number>> => {
  const { rows } = await log.pool.query<{ user_id: number; posted: number }>(
    'select user_id, posted from balances.accounts',
  )
  return new Map(rows.map((row) => [row.user_id, row.posted]))
}

/** The posted balance of a charge's account right before the charge, as the account's own postings have it. */
async function postedBefore(eventId: string): Promise<number> {
  const { rows } = await log.pool.query<{ posted: number }>(
    `select p.wallet + p.held as posted from journal.postings p
     join journal.postings charge on charge.event_id = $1 and charge.line = 0 and charge.user_id = p.user_id
     where p.position < charge.position order by p.position desc, p.line desc limit 1`,
    [eventId],
  )
  return rows[0]?.posted ?? 0
}

test('given charges, when asked who was charged after a position, then each account is there once', async () => {
  const middle = charges[Math.floor(charges.length / 2)]?.position ?? 0
  expect(charges.length).toBeGreaterThan(20)
  const asked = await chargedAfter(log.reads, middle, head, 10_000)
  const expected = new Set(
    charges.filter(({ position }) => position > middle).map(({ userId }) => userId),
  )
  expect(new Set(asked.accounts.map(({ userId }) => userId))).toEqual(expected)
  expect(asked.accounts).toHaveLength(expected.size)
  const balance = await posted()
  for (const account of asked.accounts) {
    expect(account.posted).toBe(balance.get(account.userId))
    expect(account.before).toBe(await postedBefore(account.eventId))
  }
  expect(asked.isAll).toBe(true)
  expect(asked.upTo).toBe(await log.store.headPosition())
})

test('given more charges than asked for at once, when asked again and again, then none is left out', async () => {
  const seen = new Set<string>()
  let after = -1
  for (let rounds = 0; ; rounds++) {
    expect(rounds).toBeLessThan(charges.length + 2)
    const asked = await chargedAfter(log.reads, after, head, 3)
    for (const { eventId } of asked.accounts) seen.add(eventId)
    if (asked.isAll) break
    expect(asked.upTo).toBeGreaterThan(after)
    after = asked.upTo
  }
  const newest = await chargedAfter(log.reads, -1, head, 100_000)
  for (const { eventId } of newest.accounts) expect(seen).toContain(eventId)
})

test('given balances that are behind the journal, when asked, then charges they have not seen wait', async () => {
  const middle = charges[Math.floor(charges.length / 2)]?.position ?? 0
  const set = (position: number) =>
    log.pool.query(`update projections.checkpoints set position = $1 where name = 'balances'`, [
      position,
    ])
  await set(middle)
  const asked = await chargedAfter(log.reads, middle, head, 10_000)
  expect(asked).toEqual({ accounts: [], isAll: true, upTo: middle })
  await set(await log.store.headPosition())
})

test('given a log that ends before the charges, or a stopped read model, when asked, then they wait', async () => {
  const middle = charges[Math.floor(charges.length / 2)]?.position ?? 0
  const asked = await chargedAfter(log.reads, -1, middle, 10_000)
  expect(asked).toMatchObject({ isAll: true, upTo: middle })
  expect(asked.accounts.length).toBeGreaterThan(0)
  const fail = (failure: string | null) =>
    log.pool.query(`update projections.checkpoints set failure = $1 where name = 'journal'`, [
      failure,
    ])
  await fail('ahead of the event log')
  const none = { accounts: [], isAll: true, upTo: middle }
  expect(await chargedAfter(log.reads, middle, head, 10_000)).toEqual(none)
  await fail(null)
  expect((await chargedAfter(log.reads, middle, head, 10_000)).upTo).toBe(head)
})

test('given nothing new, when asked, then nobody was charged', async () => {
  expect(await chargedAfter(log.reads, head, head, 10)).toEqual({
    accounts: [],
    isAll: true,
    upTo: head,
  })
})
