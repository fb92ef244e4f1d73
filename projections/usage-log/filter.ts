import type { Position } from '@tollgate/domain/event.ts'
import { type CommonQueryMethods, type FragmentSqlToken, sql, type SqlToken } from 'slonik'
import { z } from 'zod'
import { MODEL_FAMILIES } from '@tollgate/domain/pricing/model-name.ts'
import { hasTable } from '../runner/has-table.ts'
import { CONSUMPTION, FAILURE } from './row.ts'
import { type Counts, DAYS, HOURS, sumsBy, type SumsKey } from './sums.ts'

/** Conditions of a reader of the log. Absent = no condition. */
export interface LogFilter {
  readonly type?: number
  /** Unix seconds, both inclusive. */
  readonly from?: number
  readonly to?: number
  readonly userId?: number
  readonly tokenIds?: readonly number[]
  /** Consumption and failures without a token in this group ('' = channel tests), beside those of `tokenIds`. */
  readonly tokenlessGroup?: string
  /** With the wildcards of SQL LIKE, as the caller wrote them. */
  readonly modelPattern?: string
  readonly channel?: number
  readonly group?: string
  /** Consumption priced by this revision of prices: its event's position; −1 = the defaults. */
  readonly priceRevision?: Position
}

/** A filter as SQL over the columns that the rows and their counts share. */
export interface SqlFilter {
  /** Conditions joined by `and`, `true` when there are none; without the time. */
  readonly where: SqlToken
  readonly from: number
  /** Exclusive. */
  readonly until: number
  /** The shortest counts that have the columns of `where`. */
  readonly counts: Counts
  /** The counts by everything, which name the newest row of each. */
  readonly cube: Counts
  /** Whether the counts have all columns of `where`; if not, the rows are counted one by one. */
  readonly isCounted: boolean
  /** No row can match: a name that nobody has. */
  readonly isEmpty: boolean
}

/** Beyond any date that a row can have. */
const END_OF_TIME = 2 ** 52

/** Works names and patterns out. */
export async function sqlFilter(reads: CommonQueryMethods, filter: LogFilter): Promise<SqlFilter> {
  const { type, userId, channel, group, tokenIds, tokenlessGroup } = filter
  const models = await modelsLike(reads, filter.modelPattern)
  const prices = await pricesOf(reads, filter.priceRevision)
  return {
    where: sql.and([
      type !== undefined && sql.fragment`type = ${type}`,
      userId !== undefined && sql.fragment`user_id = ${userId}`,
      channel !== undefined && sql.fragment`channel = ${channel}`,
      group !== undefined && sql.fragment`group_name = ${group}`,
      tokenIds && ofTokens(tokenIds, tokenlessGroup),
      models && oneOf(sql.fragment`model`, models, 'text'),
      prices && oneOf(sql.fragment`price_key`, prices, 'int8'),
    ]),
    from: filter.from ?? 0,
    until: filter.to === undefined ? END_OF_TIME : filter.to + 1,
    ...(await countsUnder(reads, filter)),
    isCounted: prices === null,
    isEmpty:
      (tokenIds?.length === 0 && tokenlessGroup === undefined) ||
      models?.length === 0 ||
      prices?.length === 0,
  }
}

function ofTokens(ids: readonly number[], tokenlessGroup: string | undefined): FragmentSqlToken {
  const tokens = oneOf(sql.fragment`token_id`, ids, 'int8')
  if (tokenlessGroup === undefined) return tokens
  const types = tokenlessGroup === '' ? [CONSUMPTION] : [CONSUMPTION, FAILURE]
  return sql.fragment`(${tokens}
    or (token_id = 0 and type in (${sql.list(types)}) and group_name = ${tokenlessGroup}))`
}

async function countsUnder(
  reads: CommonQueryMethods,
  filter: LogFilter,
): Promise<Pick<SqlFilter, 'counts' | 'cube'>> {
  const cube = await cubeOf(reads)
  if (filter.userId !== undefined || filter.tokenIds !== undefined) return { counts: cube, cube }
  const columns = COUNTED.filter(([name]) => filter[name] !== undefined).map(([, key]) => key)
  return { counts: cube === HOURS ? HOURS : sumsBy(columns), cube }
}

const COUNTED = [
  ['modelPattern', 'model'],
  ['channel', 'channel'],
  ['group', 'group_name'],
] as const satisfies readonly (readonly [keyof LogFilter, SumsKey])[]

/** The shortest counts over all users that are by these columns. */
export const countsOverAll = async (
  reads: CommonQueryMethods,
  columns: readonly SumsKey[],
): Promise<Counts> => ((await cubeOf(reads)) === HOURS ? HOURS : sumsBy(columns))

/** Until an upgrade has built `days`, the tables of the version before go on being read. */
const cubeOf = async (reads: CommonQueryMethods): Promise<Counts> =>
  (await hasTable(reads, 'usage_log.days')) ? DAYS : HOURS

/** `=` for a single value lets an index give the rows in order of time. */
const oneOf = (
  column: FragmentSqlToken,
  values: readonly (string | number)[],
  type: 'int8' | 'text',
): FragmentSqlToken => {
  const [value] = values
  return values.length === 1 && value !== undefined
    ? sql.fragment`${column} = ${value}`
    : sql.fragment`${column} = any(${sql.array(values, type)})`
}

/** The keys of the prices that charges had by a revision, a few of each model; null = of every revision. */
async function pricesOf(
  reads: CommonQueryMethods,
  revision: Position | undefined,
): Promise<readonly number[] | null> {
  if (revision === undefined) return null
  return reads.anyFirst(sql.type(z.object({ price_key: z.number() }))`
    select price_key from usage_log.prices where (nullif(price, '')::jsonb ->> 'bookRevision')::bigint = ${revision}`)
}

/**
 * The models that a pattern means, by their own name or their family's, from the short list of all that were ever logged;
 * null = every model.
 */
async function modelsLike(
  reads: CommonQueryMethods,
  pattern: string | undefined,
): Promise<readonly string[] | null> {
  if (pattern === undefined) return null
  if (!/[%_]/.test(pattern) && !MODEL_FAMILIES.some(({ name }) => name === pattern)) {
    return [pattern]
  }
  const beginnings = MODEL_FAMILIES.map(({ beginning }) => beginning)
  const names = MODEL_FAMILIES.map(({ name }) => name)
  // No escape character: a backslash in a name is a backslash.
  return reads.anyFirst(sql.type(z.object({ model: z.string() }))`
    select model from usage_log.models where model like ${pattern} escape ''
      or exists (select from unnest(${sql.array(beginnings, 'text')}, ${sql.array(names, 'text')}) as family (beginning, name)
                 where starts_with(model, beginning) and name like ${pattern} escape '')`)
}
