import type { Position } from '@tollgate/domain/event.ts'
import { pricedName } from '@tollgate/domain/pricing/model-name.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'

const revisionRow = z.object({
  revision: z.number(),
  number: z.number(),
  at: z.number(),
  effective_at: z.number(),
  in_force_at: z.number().nullable(),
  /** When the next one came into force; null while it is in force or was never. */
  until: z.number().nullable(),
  is_in_force: z.boolean(),
  withdrawn_at: z.number().nullable(),
  withdrawn_by: z.string().nullable(),
  actor: z.string(),
  note: z.string().nullable(),
  keys: z.array(z.string()).readonly(),
  entries: z.number(),
  charges: z.number(),
  quota: z.number(),
})
/** A revision of prices as it stands. Times in unix milliseconds. */
export type RevisionRow = Readonly<z.output<typeof revisionRow>>

const entryRow = z.object({
  key: z.string(),
  name: z.string(),
  old_value: z.string().nullable(),
  new_value: z.string().nullable(),
})
export type EntryRow = Readonly<z.output<typeof entryRow>>

const REVISIONS = sql.fragment`
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
export function revisionPage(
  reads: CommonQueryMethods,
  { model, group, before }: RevisionFilter,
  limit: number,
): Promise<readonly RevisionRow[]> {
  const names = sql.array([model, pricedName(model)], 'text')
  const isOfFilter = sql.or([
    group !== '' && sql.fragment`(e.key = 'GroupRatio' and e.name = ${group})`,
    model !== '' && sql.fragment`(e.key <> 'GroupRatio' and e.name = any(${names}))`,
  ])
  return reads.any(sql.type(revisionRow)`
    ${REVISIONS} where ${sql.and([
      before !== null && sql.fragment`r.number < ${before}`,
      (model !== '' || group !== '') &&
        sql.fragment`exists (
          select from prices.entries e where e.revision = r.revision and (${isOfFilter}))`,
    ])}
    order by r.number desc limit ${limit}`)
}

/** The number of the revision in force; 0 = the defaults. */
export const numberInForce = async (reads: CommonQueryMethods): Promise<number> =>
  (await reads.maybeOneFirst(sql.type(revisionRow.pick({ number: true }))`
    select number from prices.revisions where in_force_position is not null
    order by in_force_position desc limit 1`)) ?? 0

/** By the position that charges name; null when there is none. */
export async function findRevision(
  reads: CommonQueryMethods,
  revision: Position,
): Promise<{ readonly row: RevisionRow; readonly entries: readonly EntryRow[] } | null> {
  const row = await reads.maybeOne(sql.type(revisionRow)`
    ${REVISIONS} where r.revision = ${revision}`)
  if (row === null) return null
  const entries = await reads.any(sql.type(entryRow)`
    select key, name, old_value, new_value from prices.entries where revision = ${revision}
    order by key, name`)
  return { row, entries }
}

/** The position that charges at the default prices name. */
const DEFAULTS_REVISION = -1

const revisionUse = revisionRow.pick({ revision: true, until: true }).extend({
  /** When it came into force; null = it was from the beginning on, or never. */
  since: z.number().nullable(),
})

/** By its number, 0 = the defaults: as charges name it, and when it was in force; null when there is none. */
export async function revisionInUse(
  reads: CommonQueryMethods,
  number: number,
): Promise<Readonly<z.output<typeof revisionUse>> | null> {
  if (number === 0) {
    const { until } = await defaultsUsage(reads)
    return { revision: DEFAULTS_REVISION, since: null, until }
  }
  return reads.maybeOne(sql.type(revisionUse)`
    select revision, in_force_at as since, until from (${REVISIONS}) known where number = ${number}`)
}

const defaultsUse = z.object({
  charges: z.number(),
  quota: z.number(),
  until: z.number().nullable(),
})

/** The charges from before prices were ever changed, and the time of the first change. */
export const defaultsUsage = (
  reads: CommonQueryMethods,
): Promise<Readonly<z.output<typeof defaultsUse>>> =>
  reads.one(sql.type(defaultsUse)`
    select coalesce(sum(charges), 0)::bigint as charges, coalesce(sum(quota), 0)::bigint as quota,
      (select in_force_at from prices.revisions where in_force_position is not null
       order by in_force_position limit 1) as until
    from prices.usage where revision = ${DEFAULTS_REVISION}`)
