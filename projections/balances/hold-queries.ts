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

/** Where a hold stands in its list: by when it was granted or ended, unix milliseconds. */
export interface HoldPlace {
  readonly at: number
  readonly hold: string
}

/** Whose holds, and which of them: those below a place, null = from the newest on. */
export interface HoldsBelow {
  /** Null = of every account. */
  readonly userId: number | null
  readonly before: HoldPlace | null
  readonly limit: number
}

/** A page of open holds, the newest first, and how many there are. */
export const openHoldPage = (pool: pg.Pool, wanted: WantedHolds): Promise<HoldPage<OpenHoldRow>> =>
  holdPage(pool, OPEN, wanted)

/** A page of expired holds, the one that ended last first, and how many there are. */
export const expiredHoldPage = (
  pool: pg.Pool,
  wanted: WantedHolds,
): Promise<HoldPage<ExpiredHoldRow>> => holdPage(pool, EXPIRED, wanted)

/** Open holds, the newest first. */
export const openHoldsBelow = (
  pool: pg.Pool,
  wanted: HoldsBelow,
): Promise<readonly OpenHoldRow[]> => holdsBelow(pool, OPEN, wanted)

/** Expired holds, the one that ended last first. */
export const expiredHoldsBelow = (
  pool: pg.Pool,
  wanted: HoldsBelow,
): Promise<readonly ExpiredHoldRow[]> => holdsBelow(pool, EXPIRED, wanted)

interface HoldTable {
  readonly table: 'holds' | 'expired_holds'
  /** The column that the list is in order of. */
  readonly time: 'since' | 'at'
}
const OPEN: HoldTable = { table: 'holds', time: 'since' }
const EXPIRED: HoldTable = { table: 'expired_holds', time: 'at' }

async function holdPage<Row extends object>(
  pool: pg.Pool,
  { table, time }: HoldTable,
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

async function holdsBelow<Row extends object>(
  pool: pg.Pool,
  { table, time }: HoldTable,
  { userId, before, limit }: HoldsBelow,
): Promise<readonly Row[]> {
  const { rows } = await pool.query<Row>(
    `select * from balances.${table}
     where ($1::bigint is null or user_id = $1)
       and ($2::bigint is null or (${time}, hold) < ($2, $3::text))
     order by ${time} desc, hold desc limit $4`,
    [userId, before?.at ?? null, before?.hold ?? null, limit],
  )
  return rows
}
