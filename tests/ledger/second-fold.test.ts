import { trialBalance } from '@tollgate/command-api/audit/trial-balance.ts'
import { carryForward } from '@tollgate/domain/account/carry-forward.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { randomHistory } from '../support/histories/ledger-history.ts'
import { openProjectionLog, type ProjectionLog } from '../support/projection-log.ts'

/**
 * A second fold of the ledger: the same books from the stored text alone, by rules written down here again from the
 * design (architecture 4, Postings). It shares no code with the domain, whose functions the projectors, the trial balance
 * and reconcile all go by: a mistake there would agree with itself.
 */

interface StoredRow {
  readonly stream: string
  readonly type: string
  readonly data: string
}

/** The members of a stored event that concern quota. */
interface Told {
  readonly amount?: number
  readonly fromHold?: number
  readonly fromWallet?: number
  readonly source?: string
  readonly hold?: string
  readonly account?: {
    readonly posted: number
    readonly affiliate: number
    readonly usedQuota: number
    readonly holds: readonly (readonly unknown[])[]
  }
}

/** Balances by ledger account; what is held, by hold. */
interface Books {
  readonly balances: Map<string, bigint>
  readonly holds: Map<string, bigint>
  readonly used: Map<number, bigint>
}

const SOURCES: Readonly<Record<string, string>> = {
  'sign-up': 'promotions',
  invitation: 'promotions',
  redemption: 'redemptions',
  'top-up': 'top-ups',
  grant: 'adjustments',
  refund: 'adjustments',
}
const DRAWN = 4

function add<Key>(to: Map<Key, bigint>, key: Key, amount: bigint): void {
  to.set(key, (to.get(key) ?? 0n) + amount)
}

function fold(rows: readonly StoredRow[]): Books {
  const books: Books = { balances: new Map(), holds: new Map(), used: new Map() }
  for (const { stream, type, data } of rows) {
    const user = Number(/^account-(\d+)$/.exec(stream)?.[1])
    if (Number.isNaN(user)) continue
    enter(books, user, type, JSON.parse(data) as Told)
  }
  return books
}

function enter({ balances, holds, used }: Books, user: number, type: string, told: Told): void {
  const amount = BigInt(told.amount ?? 0)
  const hold = told.hold ?? ''
  const move = (from: string, to: string, moved = amount): void => {
    add(balances, from, -moved)
    add(balances, to, moved)
  }
  const [wallet, held, affiliate] = [`wallet:${user}`, `held:${user}`, `affiliate:${user}`]
  if (type === 'QuotaCredited') move(SOURCES[told.source ?? ''] ?? 'nowhere', wallet)
  if (type === 'QuotaDebited') move(wallet, 'adjustments')
  if (type === 'AffiliateRewardEarned') move('promotions', affiliate)
  if (type === 'AffiliateQuotaTransferred') move(affiliate, wallet)
  if (type === 'QuotaHeld' || type === 'HoldExtended') {
    move(wallet, held)
    add(holds, hold, amount)
  }
  if (type === 'HoldReduced' || type === 'HoldReleased' || type === 'HoldExpired') {
    move(held, wallet)
    add(holds, hold, -amount)
  }
  if (type === 'HoldReleased' || type === 'HoldExpired') {
    // An end gives back all that was left.
    expect([hold, holds.get(hold)]).toEqual([hold, 0n])
    holds.delete(hold)
  }
  if (type === 'UsageCharged') {
    const [fromHold, fromWallet] = [BigInt(told.fromHold ?? 0), BigInt(told.fromWallet ?? 0)]
    expect(fromHold + fromWallet).toBe(amount)
    move(held, 'usage-revenue', fromHold)
    move(wallet, 'usage-revenue', fromWallet)
    if (fromHold > 0n) add(holds, hold, -fromHold)
    add(used, user, amount)
  }
  if (type === 'UsageRefunded') {
    move('usage-revenue', wallet)
    add(used, user, -amount)
  }
  if (type !== 'BalanceCarriedForward' || told.account === undefined) return
  // Carrying forward says what the events before it came to, and moves nothing.
  const { account } = told
  expect(BigInt(account.posted)).toBe((balances.get(wallet) ?? 0n) + (balances.get(held) ?? 0n))
  expect(BigInt(account.affiliate)).toBe(balances.get(affiliate) ?? 0n)
  expect(BigInt(account.usedQuota)).toBe(used.get(user) ?? 0n)
  for (const open of account.holds)
    expect(BigInt(Number(open[DRAWN]))).toBe(holds.get(String(open[0])))
}

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const withoutZeros = (balances: Iterable<readonly [string, bigint]>): Record<string, string> =>
  Object.fromEntries(
    [...balances].filter(([, sum]) => sum !== 0n).map(([name, sum]) => [name, String(sum)]),
  )

test.each([21, 22, 23])(
  'given random history %i, when folded without the domain, then read models and books agree',
  async (seed) => {
    const history = randomHistory({ seed, steps: 400 })
    for (const { stream, event } of history.events) await log.append(stream, event)
    for (const [user, state] of history.accounts) {
      await log.append(`account-${user}`, carryForward(state, Date.now()))
    }
    await log.project(readModels)
    const { rows } = await log.pool.query<StoredRow>(
      'select stream, type, data from ledger.events order by position',
    )
    const { balances, holds, used } = fold(rows)
    const expected = withoutZeros(balances)
    expect(Object.keys(expected).length).toBeGreaterThan(5)
    expect([...balances.values()].reduce((sum, one) => sum + one, 0n)).toBe(0n)

    const trial = await trialBalance(log.store, { type: 'now' }, { detail: 'each' })
    const asBigint = trial.rows.map((row) => [row.account, BigInt(row.balance)] as const)
    expect(withoutZeros(asBigint)).toEqual(expected)

    const sql = `select case when account in ('wallet', 'held', 'affiliate') then account || ':' || user_id else account end as account,
        sum(amount)::text as balance
      from (select to_account as account, user_id, amount from journal.postings
            union all select from_account, user_id, -amount from journal.postings) as sides group by 1`
    const journal = await log.pool.query<{ account: string; balance: string }>(sql)
    expect(
      withoutZeros(journal.rows.map((row) => [row.account, BigInt(row.balance)] as const)),
    ).toEqual(expected)

    const accounts = await log.pool.query<Record<string, string | number>>(
      'select user_id, wallet, held, affiliate, used_quota from balances.accounts',
    )
    for (const row of accounts.rows) {
      const user = Number(row['user_id'])
      for (const kind of ['wallet', 'held', 'affiliate']) {
        expect([user, kind, BigInt(row[kind] ?? 0)]).toEqual([
          user,
          kind,
          balances.get(`${kind}:${user}`) ?? 0n,
        ])
      }
      expect(BigInt(row['used_quota'] ?? 0)).toBe(used.get(user) ?? 0n)
    }
    const open = await log.pool.query<{ hold: string; remaining: string | number }>(
      'select hold, remaining from balances.holds',
    )
    const openHolds = open.rows.map((row) => [row.hold, BigInt(row.remaining)] as const)
    expect(new Map(openHolds)).toEqual(holds)
  },
)
