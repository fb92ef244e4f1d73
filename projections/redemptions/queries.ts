import type pg from 'pg'
import type { CodeRow } from './projector.ts'

/** Conditions of a list of codes; absent = no condition. */
export interface CodeFilter {
  /** Ids that a keyword or a code matched. */
  readonly ids?: readonly number[]
  readonly usedBy?: number
  /** Codes with lower numbers. */
  readonly before?: number
}

/** A page of live codes, newest first, and how many match in all. `page` counts from 1. */
export async function codePage(
  pool: pg.Pool,
  { ids, usedBy, before }: CodeFilter,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<{ readonly rows: readonly CodeRow[]; readonly total: number }> {
  const values = [ids ?? null, usedBy ?? null, before ?? null]
  const [listed, counted] = await Promise.all([
    pool.query<CodeRow>(
      `select * from redemptions.codes where ${WHERE} order by code_id desc limit $4 offset $5`,
      [...values, size, (page - 1) * size],
    ),
    pool.query<{ total: number }>(
      `select count(*) as total from redemptions.codes where ${WHERE}`,
      values,
    ),
  ])
  return { rows: listed.rows, total: counted.rows[0]?.total ?? 0 }
}

const WHERE = `deleted_at is null
  and ($1::bigint[] is null or code_id = any($1))
  and ($2::bigint is null or used_by = $2)
  and ($3::bigint is null or code_id < $3)`

/** A page of what a user has redeemed, codes that were deleted since too, newest first. `page` counts from 1. */
export async function redeemedPage(
  pool: pg.Pool,
  user: number,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<{ readonly rows: readonly CodeRow[]; readonly total: number }> {
  const [listed, counted] = await Promise.all([
    pool.query<CodeRow>(
      `select * from redemptions.codes where used_by = $1
       order by used_at desc, code_id desc limit $2 offset $3`,
      [user, size, (page - 1) * size],
    ),
    pool.query<{ total: number }>(
      `select count(*) as total from redemptions.codes where used_by = $1`,
      [user],
    ),
  ])
  return { rows: listed.rows, total: counted.rows[0]?.total ?? 0 }
}

/** The newest of what a user redeemed before one of these codes (null = of all), at most `limit`. */
export async function redeemedBelow(
  pool: pg.Pool,
  user: number,
  place: Pick<CodeRow, 'used_at' | 'code_id'> | null,
  limit: number,
): Promise<readonly CodeRow[]> {
  const { rows } = await pool.query<CodeRow>(
    `select * from redemptions.codes where used_by = $1
       and ($2::bigint is null or (used_at, code_id) < ($2, $3::bigint))
     order by used_at desc, code_id desc limit $4`,
    [user, place?.used_at ?? null, place?.code_id ?? null, limit],
  )
  return rows
}
