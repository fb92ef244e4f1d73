import type pg from 'pg'

/**
 * Whether a table is there, such as `usage_log.days`: until the copy of the present version is put in place, the tables
 * of the version before are read, which may lack it. Where it is, all of its rows are.
 */
export async function hasTable(pool: pg.Pool, name: string): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>(
    'select to_regclass($1) is not null as there',
    [name],
  )
  return rows[0]?.there ?? false
}
