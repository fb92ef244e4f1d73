import type pg from 'pg'
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
}

/** A filter as SQL over the columns that the rows and their counts share. */
export interface SqlFilter {
  /** Conditions joined by `and`, `true` when there are none; without the time. */
  readonly where: string
  readonly values: readonly unknown[]
  readonly from: number
  /** Exclusive. */
  readonly until: number
  /** The shortest counts that have the columns of `where`. */
  readonly counts: Counts
  /** The counts by everything, which name the newest row of each. */
  readonly cube: Counts
  /** No row can match: a name that nobody has. */
  readonly isEmpty: boolean
}

/** Beyond any date that a row can have. */
const END_OF_TIME = 2 ** 52

/** Works names and patterns out; `firstParameter` is the number of the first `$` that is free. */
export async function sqlFilter(
  pool: pg.Pool,
  filter: LogFilter,
  firstParameter = 1,
): Promise<SqlFilter> {
  const models = await modelsLike(pool, filter.modelPattern)
  const conditions: string[] = []
  const values: unknown[] = []
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    conditions.push(condition(`$${firstParameter + values.length}`))
    values.push(value)
  }
  if (filter.type !== undefined) add((p) => `type = ${p}`, filter.type)
  if (filter.userId !== undefined) add((p) => `user_id = ${p}`, filter.userId)
  if (filter.channel !== undefined) add((p) => `channel = ${p}`, filter.channel)
  if (filter.group !== undefined) add((p) => `group_name = ${p}`, filter.group)
  if (filter.tokenIds !== undefined) {
    const { tokenIds, tokenlessGroup } = filter
    if (tokenlessGroup === undefined) add((p) => oneOf('token_id', p, tokenIds), oneOrAll(tokenIds))
    else {
      const tokens = `$${firstParameter + values.length}`
      values.push(tokenIds)
      const types = tokenlessGroup === '' ? [CONSUMPTION] : [CONSUMPTION, FAILURE]
      add((p) => `(token_id = any(${tokens}) or ${withoutToken(types, p)})`, tokenlessGroup)
    }
  }
  if (models !== null) add((p) => oneOf('model', p, models), oneOrAll(models))
  return {
    where: conditions.join(' and ') || 'true',
    values,
    from: filter.from ?? 0,
    until: filter.to === undefined ? END_OF_TIME : filter.to + 1,
    ...(await countsUnder(pool, filter)),
    isEmpty:
      (filter.tokenIds?.length === 0 && filter.tokenlessGroup === undefined) ||
      models?.length === 0,
  }
}

const withoutToken = (types: readonly number[], group: string): string =>
  `(token_id = 0 and type in (${types.join()}) and group_name = ${group})`

async function countsUnder(
  pool: pg.Pool,
  filter: LogFilter,
): Promise<Pick<SqlFilter, 'counts' | 'cube'>> {
  const cube = await cubeOf(pool)
  if (filter.userId !== undefined || filter.tokenIds !== undefined) return { counts: cube, cube }
  const columns = COUNTED.filter(([name]) => filter[name] !== undefined).map(([, key]) => key)
  return { counts: await countsOverAll(pool, columns), cube }
}

const COUNTED = [
  ['modelPattern', 'model'],
  ['channel', 'channel'],
  ['group', 'group_name'],
] as const satisfies readonly (readonly [keyof LogFilter, SumsKey])[]

/** The shortest counts over all users that are by these columns. */
export const countsOverAll = async (pool: pg.Pool, columns: readonly SumsKey[]): Promise<Counts> =>
  (await cubeOf(pool)) === HOURS ? HOURS : sumsBy(columns)

/** Until an upgrade has built `days`, the tables of the version before go on being read. */
const cubeOf = async (pool: pg.Pool): Promise<Counts> =>
  (await hasTable(pool, DAYS.table)) ? DAYS : HOURS

/** `=` for a single value lets an index give the rows in order of time. */
const oneOf = (column: string, parameter: string, values: readonly unknown[] | undefined): string =>
  values?.length === 1 ? `${column} = ${parameter}` : `${column} = any(${parameter})`
const oneOrAll = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : values)

/**
 * The models that a pattern means, by their own name or their family's, from the short list of all that were ever logged;
 * null = every model.
 */
async function modelsLike(
  pool: pg.Pool,
  pattern: string | undefined,
): Promise<readonly string[] | null> {
  if (pattern === undefined) return null
  if (!/[%_]/.test(pattern) && !MODEL_FAMILIES.some(({ name }) => name === pattern)) {
    return [pattern]
  }
  // No escape character: a backslash in a name is a backslash.
  const { rows } = await pool.query<{ model: string }>(
    `select model from usage_log.models where model like $1 escape ''
       or exists (select from unnest($2::text[], $3::text[]) as family (beginning, name)
                  where starts_with(model, beginning) and name like $1 escape '')`,
    [
      pattern,
      MODEL_FAMILIES.map(({ beginning }) => beginning),
      MODEL_FAMILIES.map(({ name }) => name),
    ],
  )
  return rows.map((row) => row.model)
}
