import { type Comparison, type Figure, WHOLE_ROW } from './expected-model.ts'

/** Columns of counts; the last two name the newest row that is counted. */
const FIGURES = ['count', 'quota', 'tokens', 'suppressed', 'last_created_at', 'last_id'] as const
type Column = (typeof FIGURES)[number]

/** Selects the rows of a table of counts that are not as they add up to: `expected` is SQL with its columns. */
export function differingSql(
  table: string,
  keys: readonly string[],
  expected: string,
  figures: readonly [Column, ...Column[]],
): string {
  const columns = figures.map((name) => `l.${name} as ledger_${name}, t.${name} as found_${name}`)
  const [first] = figures
  const differs = figures.map((name) => `l.${name} is distinct from t.${name}`)
  const key = keys.map((name) => `'${name} ' || ${name}`).join(` || ', ' || `)
  return `select ${key} as key, l.${first} is not null as in_ledger, t.${first} is not null as is_found, ${columns.join(', ')}
    from (${expected}) l full join ${table} t using (${keys.join(', ')})
    where ${differs.join(' or ')}`
}

type DifferingCounts = {
  readonly key: string
  readonly in_ledger: boolean
  readonly is_found: boolean
} & Readonly<Partial<Record<`ledger_${Column}` | `found_${Column}`, number | null>>>

/** Tells the rows that `differingSql` selects. */
export async function compareCounts(
  comparison: Comparison,
  table: string,
  sql: string,
): Promise<void> {
  for await (const row of comparison.rows<DifferingCounts>(sql)) {
    if (!row.in_ledger || !row.is_found) {
      const [ledger, found]: [Figure, Figure] = row.is_found ? ['none', 'there'] : ['there', 'none']
      comparison.differs({ table, key: row.key, column: WHOLE_ROW, ledger, found })
      continue
    }
    for (const name of FIGURES) {
      const [ledger = null, found = null] = [row[`ledger_${name}`], row[`found_${name}`]]
      if (ledger !== found) comparison.differs({ table, key: row.key, column: name, ledger, found })
    }
  }
}
