import type { Pool } from 'pg'

/** A table of `secrets`: its rows allocate ids, and are pending while events that they ask for may be missing. */
export interface SecretRows<Row extends object> {
  readonly run: (sql: string, ...values: readonly unknown[]) => Promise<void>
  /** What a statement answers that selects or returns the table's columns. */
  readonly rows: (sql: string, ...values: readonly unknown[]) => Promise<readonly Row[]>
  /** The rows of these ids, deleted ones too. */
  readonly byIds: (ids: readonly number[]) => Promise<readonly Row[]>
  /** Marks a row before an event that ends it: the sweeper looks after it. */
  readonly suspend: (id: number) => Promise<void>
  /** The row while it is pending; else null. */
  readonly pending: (id: number) => Promise<Row | null>
  /** Pending rows that nobody has touched for a while, oldest first, at most `limit`. */
  readonly pendingFor: (seconds: number, limit: number) => Promise<readonly Row[]>
}

/** A table behind a pool; `columns` is what its statements select. */
export function secretRows<Row extends object>(
  pool: Pool,
  table: string,
  columns: string,
): SecretRows<Row> {
  const rows = async (sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    (await pool.query<Row>(sql, [...values])).rows
  const run = async (sql: string, ...values: readonly unknown[]): Promise<void> => {
    await pool.query(sql, [...values])
  }
  return {
    run,
    rows,
    byIds: (ids) => rows(`select ${columns} from ${table} where id = any($1::bigint[])`, ids),
    suspend: (id) =>
      run(`update ${table} set is_pending = true, touched_at = now() where id = $1`, id),
    async pending(id) {
      const [row] = await rows(`select ${columns} from ${table} where id = $1 and is_pending`, id)
      return row ?? null
    },
    pendingFor: (seconds, limit) =>
      rows(
        `select ${columns} from ${table}
         where is_pending and touched_at < now() - make_interval(secs => $1)
         order by touched_at limit $2`,
        seconds,
        limit,
      ),
  }
}
