import type { Pool } from 'pg'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { InertRows } from '../workflows/orphan-recovery.ts'

/** A table of `secrets`: its rows allocate ids. `is_pending` in it: the row's event was not looked up yet. */
export interface SecretRows<Row extends object> extends InertRows {
  readonly run: (sql: string, ...values: readonly unknown[]) => Promise<void>
  /** The rows that a statement answers which selects or returns the table's columns. */
  readonly rows: (sql: string, ...values: readonly unknown[]) => Promise<readonly Row[]>
  /** The rows of these ids, deleted ones too. */
  readonly byIds: (ids: readonly number[]) => Promise<readonly Row[]>
  /** Rows of this condition that were not touched for a while, oldest first, at most `limit`. */
  readonly untouched: (where: string, seconds: number, limit: number) => Promise<readonly number[]>
}

/**
 * A table behind a pool; `columns` are those that its statements select, `cleared` the assignments that erase a row's
 * secrets.
 */
export function secretRows<Row extends { readonly id: string | number }>(
  pool: Pool,
  clock: Pick<Clock, 'now'>,
  { table, columns, cleared }: Record<'table' | 'columns' | 'cleared', string>,
): SecretRows<Row> {
  const rows = async (sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    (await pool.query<Row>(sql, [...values])).rows
  const run = async (sql: string, ...values: readonly unknown[]): Promise<void> => {
    await pool.query(sql, [...values])
  }
  const untouched: SecretRows<Row>['untouched'] = async (where, seconds, limit) => {
    const found = await rows(
      `select ${columns} from ${table}
       where ${where} and touched_at < now() - make_interval(secs => $1)
       order by touched_at limit $2`,
      seconds,
      limit,
    )
    return found.map(({ id }) => Number(id))
  }
  return {
    run,
    rows,
    byIds: (ids) => rows(`select ${columns} from ${table} where id = any($1::bigint[])`, ids),
    untouched,
    unsettled: (seconds, limit) => untouched('is_pending', seconds, limit),
    settle: (id) => run(`update ${table} set is_pending = false where id = $1`, id),
    erase: (id) =>
      run(
        `update ${table} set ${cleared}, is_pending = false, deleted_at = coalesce(deleted_at, $2)
         where id = $1`,
        id,
        new Date(clock.now()),
      ),
  }
}
