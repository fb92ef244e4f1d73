import type pg from 'pg'

/** Unix seconds at the beginning of a month (UTC) and of the next. */
export interface Month {
  /** `2026_11`. */
  readonly name: string
  readonly from: number
  readonly to: number
}

/** The month (UTC) in which a moment lies. */
export function monthOf(unixSeconds: number): Month {
  const date = new Date(unixSeconds * 1000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    name: `${year}_${String(month + 1).padStart(2, '0')}`,
    from: Date.UTC(year, month) / 1000,
    to: Date.UTC(year, month + 1) / 1000,
  }
}

/** Makes the monthly partitions of `table` that these moments need and that are not there. */
export async function ensureMonths(
  tx: pg.PoolClient,
  table: string,
  moments: readonly number[],
): Promise<void> {
  const months = new Map<string, Month>()
  let last: Month | undefined
  for (const moment of moments) {
    if (last !== undefined && moment >= last.from && moment < last.to) continue
    last = monthOf(moment)
    months.set(last.name, last)
  }
  const { rows } = await tx.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where to_regclass($2 || '_' || name) is null`,
    [[...months.keys()], table],
  )
  for (const { name } of rows) {
    const month = months.get(name)
    if (month === undefined) continue
    await tx.query(
      `create table ${table}_${name} partition of ${table} for values from (${month.from}) to (${month.to})`,
    )
  }
}
