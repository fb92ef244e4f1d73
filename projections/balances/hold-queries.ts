import { type CommonQueryMethods, type IdentifierSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { counted } from '../runner/reads.ts'

const openHold = z.object({
  hold: z.string(),
  user_id: z.number(),
  /** Null for the playground. */
  token_id: z.number().nullable(),
  relay: z.string(),
  remaining: z.number(),
  /** When it was granted, unix milliseconds. */
  since: z.number(),
})
/** A hold that still reserves quota. */
export type OpenHoldRow = Readonly<z.output<typeof openHold>>

const expiredHold = z.object({
  hold: z.string(),
  user_id: z.number(),
  /** Null for the playground. */
  token_id: z.number().nullable(),
  relay: z.string(),
  /** The rest of the hold, which went back to the wallet. */
  amount: z.number(),
  cause: z.string(),
  /** When it was ended, unix milliseconds. */
  at: z.number(),
})
/** A hold that was ended without its relay's word. */
export type ExpiredHoldRow = Readonly<z.output<typeof expiredHold>>

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
export const openHoldPage = (
  reads: CommonQueryMethods,
  wanted: WantedHolds,
): Promise<HoldPage<OpenHoldRow>> => holdPage(reads, OPEN, wanted)

/** A page of expired holds, the one that ended last first, and how many there are. */
export const expiredHoldPage = (
  reads: CommonQueryMethods,
  wanted: WantedHolds,
): Promise<HoldPage<ExpiredHoldRow>> => holdPage(reads, EXPIRED, wanted)

/** Open holds, the newest first. */
export const openHoldsBelow = (
  reads: CommonQueryMethods,
  wanted: HoldsBelow,
): Promise<readonly OpenHoldRow[]> => holdsBelow(reads, OPEN, wanted)

/** Expired holds, the one that ended last first. */
export const expiredHoldsBelow = (
  reads: CommonQueryMethods,
  wanted: HoldsBelow,
): Promise<readonly ExpiredHoldRow[]> => holdsBelow(reads, EXPIRED, wanted)

const OPEN = {
  row: openHold,
  table: sql.identifier(['balances', 'holds']),
  /** The column that the list is in order of. */
  time: sql.identifier(['since']),
}
const EXPIRED = {
  row: expiredHold,
  table: sql.identifier(['balances', 'expired_holds']),
  time: sql.identifier(['at']),
}
type HoldTable<Row extends z.ZodType> = Readonly<Record<'table' | 'time', IdentifierSqlToken>> & {
  readonly row: Row
}

async function holdPage<Row extends z.ZodType>(
  reads: CommonQueryMethods,
  { row, table, time }: HoldTable<Row>,
  { userId, page, size }: WantedHolds,
) {
  const holds = sql.fragment`${table} where ${ofUser(userId)}`
  const [rows, total] = await Promise.all([
    reads.any(sql.type(row)`
      select * from ${holds}
      order by ${time} desc, hold desc limit ${size} offset ${(page - 1) * size}`),
    reads.oneFirst(sql.type(counted)`select count(*) as count from ${holds}`),
  ])
  return { rows, total }
}

const holdsBelow = <Row extends z.ZodType>(
  reads: CommonQueryMethods,
  { row, table, time }: HoldTable<Row>,
  { userId, before, limit }: HoldsBelow,
) =>
  reads.any(sql.type(row)`
    select * from ${table} where ${sql.and([
      ofUser(userId),
      before && sql.fragment`(${time}, hold) < (${before.at}::bigint, ${before.hold}::text)`,
    ])}
    order by ${time} desc, hold desc limit ${limit}`)

const ofUser = (userId: number | null) =>
  sql.and([userId !== null && sql.fragment`user_id = ${userId}`])
