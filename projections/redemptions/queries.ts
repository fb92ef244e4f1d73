import { type CommonQueryMethods, sql } from 'slonik'
import { counted } from '../runner/reads.ts'
import { type CodeRow, codeRow } from './projector.ts'

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
  reads: CommonQueryMethods,
  { ids, usedBy, before }: CodeFilter,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<{ readonly rows: readonly CodeRow[]; readonly total: number }> {
  const matching = sql.and([
    sql.fragment`deleted_at is null`,
    ids && sql.fragment`code_id = any(${sql.array(ids, 'int8')})`,
    usedBy !== undefined && sql.fragment`used_by = ${usedBy}`,
    before !== undefined && sql.fragment`code_id < ${before}`,
  ])
  const [rows, total] = await Promise.all([
    reads.any(sql.type(codeRow)`
      select * from redemptions.codes where ${matching}
      order by code_id desc limit ${size} offset ${(page - 1) * size}`),
    reads.oneFirst(
      sql.type(counted)`select count(*) as count from redemptions.codes where ${matching}`,
    ),
  ])
  return { rows, total }
}

/** A page of what a user has redeemed, codes that were deleted since too, newest first. `page` counts from 1. */
export async function redeemedPage(
  reads: CommonQueryMethods,
  user: number,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<{ readonly rows: readonly CodeRow[]; readonly total: number }> {
  const [rows, total] = await Promise.all([
    reads.any(sql.type(codeRow)`
      select * from redemptions.codes where used_by = ${user}
      order by used_at desc, code_id desc limit ${size} offset ${(page - 1) * size}`),
    reads.oneFirst(
      sql.type(counted)`select count(*) as count from redemptions.codes where used_by = ${user}`,
    ),
  ])
  return { rows, total }
}

/** The newest of what a user redeemed before one of these codes (null = of all), at most `limit`. */
export function redeemedBelow(
  reads: CommonQueryMethods,
  user: number,
  place: Pick<CodeRow, 'used_at' | 'code_id'> | null,
  limit: number,
): Promise<readonly CodeRow[]> {
  const matching = sql.and([
    sql.fragment`used_by = ${user}`,
    place &&
      sql.fragment`(used_at, code_id) < (${place.used_at}::bigint, ${place.code_id}::bigint)`,
  ])
  return reads.any(sql.type(codeRow)`
    select * from redemptions.codes where ${matching}
    order by used_at desc, code_id desc limit ${limit}`)
}
