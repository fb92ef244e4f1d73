import { expect } from 'vitest'
import { z } from 'zod'
import type { ConsoleClient } from './console-client.ts'
import { until } from './processes.ts'
import type { Product } from './product-kinds.ts'

/** The sums of one account by the ledger alone, over its events by SQL. */
export interface LedgerSums {
  readonly account: number
  /** Credits minus debits, charges left out. */
  readonly opening: number
  readonly charged: number
  readonly charges: number
  /** Quota in open holds. */
  readonly held: number
  /** The least that the balance ever was, event by event. */
  readonly lowest: number
}

const sums = z.array(
  z.object({
    account: z.coerce.number(),
    opening: z.coerce.number(),
    charged: z.coerce.number(),
    charges: z.coerce.number(),
    held: z.coerce.number(),
    lowest: z.coerce.number(),
  }),
)

/** Every account's sums, straight from the events: no code of the product stands between. */
export async function ledgerSums(product: Product): Promise<readonly LedgerSums[]> {
  const rows = await product.query(`
    with entries as (
      select split_part(stream, '-', 2)::bigint as account, revision, type, data::jsonb as data
      from ledger.events
      where stream like 'account-%'
    ), moves as (
      select account, revision, type,
        case type
          when 'QuotaCredited' then (data->>'amount')::bigint
          when 'AffiliateQuotaTransferred' then (data->>'amount')::bigint
          when 'UsageRefunded' then (data->>'amount')::bigint
          when 'QuotaDebited' then -(data->>'amount')::bigint
          else 0 end as credit,
        case type when 'UsageCharged' then (data->>'amount')::bigint else 0 end as charge,
        case type
          when 'QuotaHeld' then (data->>'amount')::bigint
          when 'HoldExtended' then (data->>'amount')::bigint
          when 'HoldReduced' then -(data->>'amount')::bigint
          when 'HoldReleased' then -(data->>'amount')::bigint
          when 'HoldExpired' then -(data->>'amount')::bigint
          when 'UsageCharged' then -(data->>'fromHold')::bigint
          else 0 end as hold
      from entries
    ), running as (
      select *, sum(credit - charge) over (partition by account order by revision) as balance from moves
    )
    select account, sum(credit) as opening, sum(charge) as charged, sum(hold) as held,
      count(*) filter (where type = 'UsageCharged') as charges, min(balance) as lowest
    from running group by account order by account`)
  return sums.parse(rows)
}

/** One account's sums. Between processes an answer's charge is in the journal when it ends, and here a moment later. */
export async function ledgerOf(product: Product, user: ConsoleClient): Promise<LedgerSums> {
  const account = (await ledgerSums(product)).find(({ account }) => account === user.userId)
  if (account === undefined) throw new Error(`user ${user.userId} has no account in the ledger`)
  return account
}

/** Waits until the log shows every charge in the ledger, so that what a test counts next is its own. */
export const logCaughtUp = (product: Product, user: ConsoleClient): Promise<void> =>
  until('the log has caught up with the ledger', async () => {
    const { charges } = await ledgerOf(product, user)
    return (await user.chargesLogged()) === charges
  })

/**
 * Holds ledger, usage log and balances against each other, for the accounts of the clients given: charges in the
 * ledger = charges in the log = what the balance fell by; no balance was ever negative.
 */
export async function expectBalancedBooks(
  product: Product,
  root: ConsoleClient,
  users: readonly ConsoleClient[],
): Promise<void> {
  for (const user of users) {
    const { account, self } = await sameCharges(product, user)
    expect({ fall: account.opening - self.quota, used: self.used_quota }).toEqual({
      fall: account.charged,
      used: account.charged,
    })
    expect(account.lowest).toBeGreaterThanOrEqual(0)
  }
  const stat = z.object({ quota: z.number() })
  let sums = { log: Number.NaN, ledger: Number.NaN }
  // Not expect.poll: tests that run side by side have none.
  await until('log and ledger have charged as much', async () => {
    const log = await root.ask('GET', '/api/log/stat?type=2', stat)
    const accounts = await ledgerSums(product)
    sums = { log: log.quota, ledger: accounts.reduce((total, { charged }) => total + charged, 0) }
    return sums.log === sums.ledger
  }).catch((error: unknown) => {
    throw new Error(`log and ledger charged ${JSON.stringify(sums)}`, { cause: error })
  })
}

/** An account by the ledger and by its balance, once both have as many charges: either may be a moment behind. */
async function sameCharges(product: Product, user: ConsoleClient) {
  let account = await ledgerOf(product, user)
  let self = await user.self()
  await until('ledger and balance have as many charges', async () => {
    account = await ledgerOf(product, user)
    self = await user.self()
    return self.request_count === account.charges
  })
  return { account, self }
}
