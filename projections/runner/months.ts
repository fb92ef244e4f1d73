import type { ModelTables } from './model-tables.ts'

/** A calendar month in UTC. */
export interface Month {
  /** `2026_11`; names sort by time. */
  readonly name: string
  /** Its first moment and that of the next month, unix milliseconds. */
  readonly from: number
  readonly to: number
}

/** The month (UTC) in which a moment (unix milliseconds) lies. */
export function monthOf(at: number): Month {
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    name: `${year}_${String(month + 1).padStart(2, '0')}`,
    from: Date.UTC(year, month),
    to: Date.UTC(year, month + 1),
  }
}

/**
 * Makes the monthly partitions of `table` that these moments need and that are not there, and those of the months after
 * them: a month's first events find theirs. Its key is in `unit`. Attaching, unlike creating in place, waits for no
 * reader and lets none wait.
 */
export async function ensureMonths(
  tx: ModelTables,
  table: string,
  moments: readonly number[],
  unit: 'seconds' | 'milliseconds',
): Promise<void> {
  const perUnit = unit === 'seconds' ? 1000 : 1
  const months = monthsOf(moments, perUnit)
  const rows = await tx.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where to_regclass('{${table}}_' || name) is null`,
    [[...months.keys()]],
  )
  for (const { name } of rows) {
    const month = months.get(name)
    if (month === undefined) continue
    await tx.query(
      `create table ${table}_${name} (like ${table} including defaults including constraints)`,
    )
    await tx.query(
      `alter table ${table} attach partition ${table}_${name}
       for values from (${month.from / perUnit}) to (${month.to / perUnit})`,
    )
  }
}

/** The months of the moments and the one after each, by name. */
function monthsOf(moments: readonly number[], perUnit: number): ReadonlyMap<string, Month> {
  const months = new Map<string, Month>()
  let last: Month | undefined
  for (const moment of moments) {
    const at = moment * perUnit
    if (last !== undefined && at >= last.from && at < last.to) continue
    last = monthOf(at)
    const following = monthOf(last.to)
    months.set(last.name, last)
    months.set(following.name, following)
  }
  return months
}
