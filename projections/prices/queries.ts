import type { Position } from '@tollgate/domain/event.ts'
import { pricedName } from '@tollgate/domain/pricing/model-name.ts'
import type pg from 'pg'

/** A revision of prices as it stands. Times in unix milliseconds. */
export interface RevisionRow {
  readonly revision: Position
  readonly number: number
  readonly at: number
  readonly effective_at: number
  readonly in_force_at: number | null
  /** When the next one came into force; null while it is in force or was never. */
  readonly until: number | null
  readonly is_in_force: boolean
  readonly withdrawn_at: number | null
  readonly withdrawn_by: string | null
  readonly actor: string
  readonly note: string | null
  readonly keys: readonly string[]
  readonly entries: number
  readonly charges: number
  readonly quota: number
}

export interface EntryRow {
  readonly key: string
  readonly name: string
  readonly old_value: string | null
  readonly new_value: string | null
}

const REVISIONS = `
  select r.*, next.in_force_at as until,
    r.in_force_position is not null and next.revision is null as is_in_force,
    coalesce(changed.keys, '{}') as keys, coalesce(changed.entries, 0)::int as entries,
    coalesce(u.charges, 0) as charges, coalesce(u.quota, 0) as quota
  from prices.revisions r
  left join lateral (select n.revision, n.in_force_at from prices.revisions n
    where n.in_force_position > r.in_force_position order by n.in_force_position limit 1) next on true
  left join lateral (select array_agg(distinct e.key) as keys, count(*) as entries
    from prices.entries e where e.revision = r.revision) changed on true
  left join prices.usage u on u.revision = r.revision`

export interface RevisionFilter {
  /** Those that changed the model's price or the group's ratio; '' = whatever they changed. */
  readonly model: string
  readonly group: string
  /** Those before a number; null = from the newest on. */
  readonly before: number | null
}

/** Newest first. */
export async function revisionPage(
  pool: pg.Pool,
  { model, group, before }: RevisionFilter,
  limit: number,
): Promise<readonly RevisionRow[]> {
  const { rows } = await pool.query<RevisionRow>(
    `${REVISIONS} where ($1::bigint is null or r.number < $1)
       and (($3 = '' and $4 = '') or exists (select from prices.entries e where e.revision = r.revision
         and ((e.key = 'GroupRatio' and e.name = $4 and $4 <> '')
           or (e.key <> 'GroupRatio' and $3 <> '' and e.name in ($3, $5)))))
     order by r.number desc limit $2`,
    [before, limit, model, group, pricedName(model)],
  )
  return rows
}

/** By the position that charges name; null when there is none. */
export async function findRevision(
  pool: pg.Pool,
  revision: Position,
): Promise<{ readonly row: RevisionRow; readonly entries: readonly EntryRow[] } | null> {
  const { rows } = await pool.query<RevisionRow>(`${REVISIONS} where r.revision = $1`, [revision])
  const [row] = rows
  if (row === undefined) return null
  const { rows: entries } = await pool.query<EntryRow>(
    `select key, name, old_value, new_value from prices.entries where revision = $1
     order by key, name`,
    [revision],
  )
  return { row, entries }
}

/** The charges from before prices were ever changed, and the time of the first change. */
export async function defaultsUsage(
  pool: pg.Pool,
): Promise<{ readonly charges: number; readonly quota: number; readonly until: number | null }> {
  const { rows } = await pool.query<{ charges: number; quota: number; until: number | null }>(
    `select coalesce(sum(charges), 0)::bigint as charges, coalesce(sum(quota), 0)::bigint as quota,
       (select in_force_at from prices.revisions where in_force_position is not null
        order by in_force_position limit 1) as until
     from prices.usage where revision = -1`,
  )
  return rows[0] ?? { charges: 0, quota: 0, until: null }
}
