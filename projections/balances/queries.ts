import { PARTITIONS } from '@tollgate/domain/account/partition.ts'
import type { HoldId } from '@tollgate/domain/ids.ts'
import type pg from 'pg'

/** One account as its owner sees it. Quota in units; times in unix milliseconds. */
export interface AccountBalance {
  readonly userId: number
  readonly status: 'active' | 'suspended'
  /** Credits minus charges: shown as `quota` (decision 38). */
  readonly posted: number
  readonly held: number
  readonly available: number
  readonly affiliate: number
  /** All affiliate rewards ever (`aff_history_quota`), and how many users were invited (`aff_count`). */
  readonly affiliateEarned: number
  readonly affiliateCount: number
  readonly usedQuota: number
  readonly requestCount: number
}

/** Balances by user; an account that was never opened is not in the map. */
export async function balancesOf(
  pool: pg.Pool,
  users: readonly number[],
): Promise<ReadonlyMap<number, AccountBalance>> {
  const { rows } = await pool.query<AccountBalance>(`${selectBalance} where user_id = any($1)`, [
    users,
  ])
  return new Map(rows.map((row) => [row.userId, row]))
}

/** A user's balance and usage; nothing for an account that was never opened. */
export async function userFigures(
  pool: pg.Pool,
  userId: number,
): Promise<{ readonly remaining: number; readonly used: number }> {
  const account = (await balancesOf(pool, [userId])).get(userId)
  return { remaining: account?.posted ?? 0, used: account?.usedQuota ?? 0 }
}

/** Users whose counters are at least as high as asked for (decision 20: searching by number means "at least"). */
export async function usersWithAtLeast(
  pool: pg.Pool,
  least: { readonly posted?: number; readonly requestCount?: number },
): Promise<readonly number[]> {
  const { rows } = await pool.query<{ user_id: number }>(
    `select user_id from balances.accounts
     where posted >= coalesce($1, posted) and request_count >= coalesce($2, request_count)`,
    [least.posted ?? null, least.requestCount ?? null],
  )
  return rows.map((row) => row.user_id)
}

/** An open hold, for sweeps that end what a lost relay left behind. */
export interface OpenHold {
  readonly hold: string
  readonly userId: number
  readonly tokenId: number | null
  readonly relay: string
  readonly remaining: number
  /** When it was granted, unix milliseconds. */
  readonly since: number
}

/** Open holds granted before a moment (unix milliseconds) to any relay but one, by id after `after` ('' = from the first). */
export async function openHoldsOfFormerRelays(
  pool: pg.Pool,
  asked: {
    readonly grantedBefore: number
    /** The relay that is left out. */
    readonly present: string
    readonly after: string
    readonly limit: number
  },
): Promise<readonly OpenHold[]> {
  const { rows } = await pool.query<OpenHold>(
    `select hold, user_id as "userId", token_id as "tokenId", relay, remaining, since
     from balances.holds
     where since < $1 and relay <> $2 and hold > $3
     order by hold limit $4`,
    [asked.grantedBefore, asked.present, asked.after, asked.limit],
  )
  return rows
}

/** Open holds of the accounts of some partitions, by id after `after` ('' = from the first). */
export async function openHoldsOfPartitions(
  pool: pg.Pool,
  asked: {
    readonly partitions: readonly number[]
    readonly after: string
    readonly limit: number
  },
): Promise<readonly HoldId[]> {
  const { rows } = await pool.query<{ hold: HoldId }>(
    `select hold from balances.holds
     where user_id % ${PARTITIONS} = any($1) and hold > $2 order by hold limit $3`,
    [asked.partitions, asked.after, asked.limit],
  )
  return rows.map(({ hold }) => hold)
}

const selectBalance = `
  select user_id as "userId", status, posted, held, wallet as available, affiliate,
         affiliate_earned as "affiliateEarned", affiliate_count as "affiliateCount",
         used_quota as "usedQuota", request_count as "requestCount"
  from balances.accounts`
