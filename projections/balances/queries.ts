import { PARTITIONS } from '@tollgate/domain/account/partition.ts'
import type { HoldId } from '@tollgate/domain/ids.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'

const accountBalance = z.object({
  userId: z.number(),
  status: z.enum(['active', 'suspended']),
  /** Credits minus charges: shown as `quota` (decision 38). */
  posted: z.number(),
  held: z.number(),
  available: z.number(),
  affiliate: z.number(),
  /** All affiliate rewards ever (`aff_history_quota`), and how many users were invited (`aff_count`). */
  affiliateEarned: z.number(),
  affiliateCount: z.number(),
  usedQuota: z.number(),
  requestCount: z.number(),
})
/** One account as its owner sees it. Quota in units; times in unix milliseconds. */
export type AccountBalance = Readonly<z.output<typeof accountBalance>>

/** Balances by user; an account that was never opened is not in the map. */
export async function balancesOf(
  reads: CommonQueryMethods,
  users: readonly number[],
): Promise<ReadonlyMap<number, AccountBalance>> {
  const rows = await reads.any(sql.type(accountBalance)`
    select user_id as "userId", status, posted, held, wallet as available, affiliate,
           affiliate_earned as "affiliateEarned", affiliate_count as "affiliateCount",
           used_quota as "usedQuota", request_count as "requestCount"
    from balances.accounts where user_id = any(${sql.array(users, 'int8')})`)
  return new Map(rows.map((row) => [row.userId, row]))
}

/** A user's balance and usage; nothing for an account that was never opened. */
export async function userFigures(
  reads: CommonQueryMethods,
  userId: number,
): Promise<{ readonly remaining: number; readonly used: number }> {
  const account = (await balancesOf(reads, [userId])).get(userId)
  return { remaining: account?.posted ?? 0, used: account?.usedQuota ?? 0 }
}

/** Users whose counters are at least as high as asked for (decision 20: searching by number means "at least"). */
export const usersWithAtLeast = (
  reads: CommonQueryMethods,
  { posted, requestCount }: { readonly posted?: number; readonly requestCount?: number },
): Promise<readonly number[]> =>
  reads.anyFirst(sql.type(z.object({ user_id: z.number() }))`
    select user_id from balances.accounts where ${sql.and([
      posted !== undefined && sql.fragment`posted >= ${posted}`,
      requestCount !== undefined && sql.fragment`request_count >= ${requestCount}`,
    ])}`)

const holdId = z.custom<HoldId>((value) => typeof value === 'string')
const openHold = z.object({
  hold: z.string(),
  userId: z.number(),
  tokenId: z.number().nullable(),
  relay: z.string(),
  remaining: z.number(),
  /** When it was granted, unix milliseconds. */
  since: z.number(),
})
/** An open hold, for sweeps that end what a lost relay left behind. */
export type OpenHold = Readonly<z.output<typeof openHold>>

/** Open holds granted before a moment (unix milliseconds) to any relay but one, by id after `after` ('' = from the first). */
export const openHoldsOfFormerRelays = (
  reads: CommonQueryMethods,
  asked: {
    readonly grantedBefore: number
    /** The relay that is left out. */
    readonly present: string
    readonly after: string
    readonly limit: number
  },
): Promise<readonly OpenHold[]> =>
  reads.any(sql.type(openHold)`
    select hold, user_id as "userId", token_id as "tokenId", relay, remaining, since
    from balances.holds
    where since < ${asked.grantedBefore} and relay <> ${asked.present} and hold > ${asked.after}
    order by hold limit ${asked.limit}`)

/** Open holds of the accounts of some partitions, by id after `after` ('' = from the first). */
export const openHoldsOfPartitions = (
  reads: CommonQueryMethods,
  asked: {
    readonly partitions: readonly number[]
    readonly after: string
    readonly limit: number
  },
): Promise<readonly HoldId[]> =>
  reads.anyFirst(sql.type(z.object({ hold: holdId }))`
    select hold from balances.holds
    where user_id % ${PARTITIONS} = any(${sql.array(asked.partitions, 'int8')}) and hold > ${asked.after}
    order by hold limit ${asked.limit}`)
