import type pg from 'pg'

/** A hold that still reserves quota. */
export interface OpenHoldRow {
  readonly hold: string
  readonly user_id: number
  /** Null for the playground. */
  readonly token_id: number | null
  readonly relay: string
  readonly remaining: number
  /** When it was granted, unix milliseconds. */
  readonly since: number
}

/** A hold that was ended without its relay's word. */
export interface ExpiredHoldRow {
  readonly hold: string
  readonly user_id: number
  /** Null for the playground. */
  readonly token_id: number | null
  readonly relay: string
  /** The rest of the hold, which went back to the wallet. */
  readonly amount: number
  readonly cause: string
  /** When it was ended, unix milliseconds. */
  readonly at: number
}

export interface HoldPage<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** Whose holds, and which page of them; `page` counts from 1. */
export interface WantedHolds {
  /** Null = of every account. */
  readonly userId: number | null
  readonly page: number
  readonly size: number
}

/** A page of open holds, the newest first, and how many there are. */
export const openHoldPage = (pool: pg.Pool, wanted: WantedHolds): Promise<HoldPage<OpenHoldRow>> =>
  holdPage(pool, 'holds', 'since', wanted)

/** A page of expired holds, the one that ended last first, and how many there are. */
export const expiredHoldPage = (
  pool: pg.Pool,
  wanted: WantedHolds,
): Promise<HoldPage<ExpiredHoldRow>> => holdPage(pool, 'expired_holds', 'at', wanted)

async function holdPage<Row extends object>(
  pool: pg.Pool,
  table: 'holds' | 'expired_holds',
  time: 'since' | 'at',
  { userId, page, size }: WantedHolds,
): Promise<HoldPage<Row>> {
  const where = userId === null ? 'true' : 'user_id = $1'
  const values = userId === null ? [] : [userId]
  const last = values.length
  const [{ rows }, { rows: counts }] = await Promise.all([
    pool.query<Row>(
      `select * from balances.${table} where ${where}
       order by ${time} desc, hold desc limit $${last + 1} offset $${last + 2}`,
      [...values, size, (page - 1) * size],
    ),
    pool.query<{ count: number }>(
      `select count(*)::int as count from balances.${table} where ${where}`,
      values,
    ),
  ])
  return { rows, total: counts[0]?.count ?? 0 }
}
