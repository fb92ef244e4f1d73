import type pg from 'pg'
import { inPlaceOf } from './model-tables.ts'
import type { AnyProjector, ModelCopy } from './projector.ts'

/** One key whose figures are not the same in both copies of a read model. */
export interface CopyDifference {
  readonly key: string
  /** JSON of the figures; null where the copy has none of that key. */
  readonly present: string | null
  readonly rebuilt: string | null
}

/** The result of comparing the copy that is read with the one built beside it, both at one position. */
export interface CopyComparison {
  /** How many keys differ; `differences` has the first of them. */
  readonly differing: number
  readonly differences: readonly CopyDifference[]
}

/** More would not be read, in a log line, by anybody. */
const DIFFERENCES_MOST = 20
const OTHER_SHAPE: ReadonlySet<string> = new Set(['42P01', '42703', '42804', '42883'])

/** True for a query of tables or columns that are not there, or of another type: those of another version. */
export const lacksTables = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && OTHER_SHAPE.has(String(error.code))

/** Compares by the projector's `comparison`, on a connection whose snapshot has both copies at the same position. */
export async function compareCopies(
  client: pg.PoolClient,
  projector: AnyProjector,
  present: ModelCopy,
  rebuilt: ModelCopy,
): Promise<CopyComparison> {
  const figuresIn = (copy: ModelCopy): string => inPlaceOf(projector.comparison, copy.schema)
  try {
    const { rows } = await client.query<CopyDifference & { differing: number }>(
      `with present as (${figuresIn(present)}), rebuilt as (${figuresIn(rebuilt)})
       select key, p.figures::text as present, r.figures::text as rebuilt,
              (count(*) over ())::int as differing
       from present as p full join rebuilt as r using (key)
       where p.figures is distinct from r.figures order by key limit ${DIFFERENCES_MOST}`,
    )
    const differences = rows.map(({ key, present: was, rebuilt: is }) => ({
      key,
      present: was,
      rebuilt: is,
    }))
    return { differing: rows[0]?.differing ?? 0, differences }
  } catch (error) {
    if (!lacksTables(error)) throw error
    const difference = { key: 'tables', present: error.message, rebuilt: null }
    return { differing: 1, differences: [difference] }
  }
}

/** One line for people: `2 keys differ; user 3: {"wallet": 5} → {"wallet": 7}; …`. */
export function describeComparison({ differing, differences }: CopyComparison): string {
  const named = differences.map(
    ({ key, present, rebuilt }) => `${key}: ${present ?? 'nothing'} → ${rebuilt ?? 'nothing'}`,
  )
  const rest = differing > differences.length ? `; and ${differing - differences.length} more` : ''
  return `${differing} ${differing === 1 ? 'key differs' : 'keys differ'}; ${named.join('; ')}${rest}`
}
