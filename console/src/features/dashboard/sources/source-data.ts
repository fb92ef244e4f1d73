import type { StackedPoint, StackedValues } from '../../../parts/charts/bars.ts'
import type { Use } from '../series.ts'
import { OTHER } from '../series.ts'
import { cutAt } from './time-cuts.ts'

/** A source's use of one model in a span of time that begins at `at`, unix milliseconds. */
export interface SourceRow extends Use {
  readonly at: number
  readonly model: string
}

/** A source's use of one key of a dimension over the whole time. */
export interface SourceKey extends Use {
  readonly key: string
  readonly name: string
}

/** Bars of quota by model, those of a second source beside the first's; `label` names a beginning. */
export function sourcePoints(
  starts: readonly number[],
  named: ReadonlySet<string>,
  {
    first,
    second,
    label,
  }: {
    readonly first: readonly SourceRow[]
    readonly second: readonly SourceRow[] | null
    readonly label: (start: number) => string
  },
): readonly StackedPoint[] {
  const one = gathered(starts, named, first)
  const other = second === null ? null : gathered(starts, named, second)
  return starts.map((start, index) => ({
    key: String(start),
    label: label(start),
    ...(one[index] ?? NOTHING),
    ...(other === null ? {} : { beside: other[index] ?? NOTHING }),
  }))
}

const NOTHING: StackedValues = { values: {}, total: 0 }

function gathered(
  starts: readonly number[],
  named: ReadonlySet<string>,
  rows: readonly SourceRow[],
): readonly StackedValues[] {
  const bars = starts.map(() => ({ values: {} as Record<string, number>, total: 0 }))
  for (const { at, model, quota } of rows) {
    // A stretch may begin a little before the period that it is in.
    const bar = bars[Math.max(0, cutAt(starts, at))]
    if (bar === undefined) continue
    const key = named.has(model) ? model : OTHER
    bar.values[key] = (bar.values[key] ?? 0) + quota
    bar.total += quota
  }
  return bars
}

/** One key in two sources; null = not known, because a source has too many keys to read them all. */
export interface Difference {
  readonly key: string
  readonly name: string
  readonly first: Use | null
  readonly second: Use | null
}

/** A source's keys, and whether they are all. */
export interface SourceKeys {
  readonly keys: readonly SourceKey[]
  readonly isWhole: boolean
}

/** Both sources by key, the largest change of a measure first. */
export function differences(
  first: SourceKeys,
  second: SourceKeys,
  measure: keyof Use,
): readonly Difference[] {
  const ofFirst = new Map(first.keys.map((one) => [one.key, one]))
  const ofSecond = new Map(second.keys.map((one) => [one.key, one]))
  const keys = [...new Set([...ofFirst.keys(), ...ofSecond.keys()])]
  const change = (one: Difference): number => Math.abs(changeOf(one, measure) ?? 0)
  return keys
    .map((key) => {
      const [one, other] = [ofFirst.get(key), ofSecond.get(key)]
      return {
        key,
        name: one?.name || other?.name || '',
        first: one ?? (first.isWhole ? NO_USE : null),
        second: other ?? (second.isWhole ? NO_USE : null),
      }
    })
    .sort((a, b) => change(b) - change(a) || a.key.localeCompare(b.key))
}

const NO_USE: Use = { quota: 0, count: 0, tokens: 0 }

/** The second less the first; null where one is not known. */
export const changeOf = ({ first, second }: Difference, measure: keyof Use): number | null =>
  first === null || second === null ? null : second[measure] - first[measure]

/** The change in percent of the first; null where the first has nothing, or one is not known. */
export function percentOf(one: Difference, measure: keyof Use): number | null {
  const change = changeOf(one, measure)
  const base = one.first?.[measure] ?? 0
  return change === null || base === 0 ? null : (change / base) * 100
}
