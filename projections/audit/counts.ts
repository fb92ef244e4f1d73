import { type Comparison, type Figure, WHOLE_ROW } from './expected-model.ts'

/** Columns of counts; the last two name the newest row that an hour counts. */
const FIGURES = ['count', 'quota', 'tokens', 'suppressed', 'last_created_at', 'last_id'] as const
type Column = (typeof FIGURES)[number]

/** Selects the rows of a table of counts that are not as they add up to: `expected` is SQL with its columns. */
export function differingSql(
  table: string,
  keys: readonly string[],
  expected: string,
  figures: readonly Column[],
): string {
  const columns = figures.map((name) => `l.${name} as ledger_${name}, t.${name} as found_${name}`)
  const differs = figures.map((name) => `l.${name} is distinct from t.${name}`)
  const key = keys.map((name) => `'${name} ' || ${name}`).join(` || ', ' || `)
  return `select ${key} as key, ${columns.join(', ')}
    from (${expected}) l full join ${table} t using (${keys.join(', ')})
    where ${differs.join(' or ')}`
}

type DifferingCounts = { readonly key: string } & Readonly<
  Record<'ledger_count' | 'found_count', number | null> &
    Partial<Record<`ledger_${Column}` | `found_${Column}`, number | null>>
>

/** Tells the rows that `differingSql` selects. */
export async function compareCounts(
  comparison: Comparison,
  table: string,
  sql: string,
): Promise<void> {
  for await (const row of comparison.rows<DifferingCounts>(sql)) {
    if (row.ledger_count === null || row.found_count === null) {
      const [ledger, found]: [Figure, Figure] =
        row.ledger_count === null ? ['none', 'there'] : ['there', 'none']
      comparison.differs(table, row.key, WHOLE_ROW, ledger, found)
      continue
    }
    for (const name of FIGURES) {
      const [ledger = null, found = null] = [row[`ledger_${name}`], row[`found_${name}`]]
      if (ledger !== found) comparison.differs(table, row.key, name, ledger, found)
    }
  }
}
