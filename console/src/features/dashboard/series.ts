import type { UsageHour } from './queries.ts'
import type { StackedPoint } from '../../parts/charts/bars.ts'
import type { Bucket } from './buckets.ts'

/** Counted use: quota in units of account, calls, tokens. */
export interface Use {
  readonly quota: number
  readonly count: number
  readonly tokens: number
}

/** The three things that are counted. */
export type Measure = keyof Use

/** The use of one model over the whole range. */
export interface ModelUse extends Use {
  readonly model: string
}

/** At most so many series have a name of their own; the rest is one. */
export const SERIES_MAX = 7
/** The key of that rest; no model's name is empty. */
export const OTHER = ''

/** All use together. */
export function totalUse(rows: readonly UsageHour[]): Use {
  let quota = 0
  let count = 0
  let tokens = 0
  for (const row of rows) {
    quota += row.quota
    count += row.count
    tokens += row.token_used
  }
  return { quota, count, tokens }
}

/** Use by model, greatest quota first. */
export function modelUses(rows: readonly UsageHour[]): readonly ModelUse[] {
  const byModel = Map.groupBy(rows, (row) => row.model_name)
  return [...byModel]
    .map(([model, modelRows]) => ({ model, ...totalUse(modelRows) }))
    .sort((a, b) => b.quota - a.quota || a.model.localeCompare(b.model))
}

/** The greatest by a measure, and what the others come to. */
export function greatest<One extends Use>(
  uses: readonly One[],
  measure: Measure,
): { readonly named: readonly One[]; readonly other: number } {
  const sorted = uses.toSorted((a, b) => b[measure] - a[measure])
  // One leftover takes no more room as itself than as "other".
  const at = sorted.length <= SERIES_MAX + 1 ? sorted.length : SERIES_MAX
  const other = sorted.slice(at).reduce((sum, use) => sum + use[measure], 0)
  return { named: sorted.slice(0, at), other }
}

/** Bars of quota by model, with the models that have no series of their own under OTHER. */
export function quotaPoints(
  buckets: readonly Bucket[],
  named: ReadonlySet<string>,
): readonly StackedPoint[] {
  return buckets.map(({ start, label, rows }) => {
    const values: Record<string, number> = {}
    let total = 0
    for (const row of rows) {
      const key = named.has(row.model_name) ? row.model_name : OTHER
      values[key] = (values[key] ?? 0) + row.quota
      total += row.quota
    }
    return { key: String(start), label, values, total }
  })
}
