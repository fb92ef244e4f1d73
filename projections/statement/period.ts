import type { Queries } from '../journal/queries.ts'

/** `[from, to)` in unix milliseconds. */
export interface Period {
  readonly from: number
  readonly to: number
}

/** An IANA name that this process and PostgreSQL read alike; offsets such as +08:00 have opposite signs in the two. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * Where the days or months of a zone begin within a period, the period's own beginning first: each part lasts until the
 * next, the last until the period's end.
 */
export async function partsOf(
  queries: Queries,
  period: Period,
  zone: string,
  unit: 'day' | 'month',
): Promise<readonly number[]> {
  const { rows } = await queries.query<{ start: number }>(
    `select (extract(epoch from (local at time zone $3)) * 1000)::bigint as start from generate_series(
       date_trunc($4, to_timestamp($1::bigint / 1000.0) at time zone $3),
       to_timestamp($2::bigint / 1000.0) at time zone $3, ('1 ' || $4)::interval) as local`,
    [period.from, period.to, zone, unit],
  )
  const inner = rows.map((row) => row.start).filter((at) => at > period.from && at < period.to)
  return [period.from, ...inner]
}

/** What a list of parts says of one of them. */
export const partAt = (starts: readonly number[], index: number, { from, to }: Period): Period => ({
  from: starts[index] ?? from,
  to: starts[index + 1] ?? to,
})
