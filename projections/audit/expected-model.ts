import type pg from 'pg'
import type { Recorded } from '../runner/projected-events.ts'

/** The expected contents of one read model, worked out from the ledger alone. Used once, for one comparison. */
export interface ExpectedModel {
  /** The read model's name. */
  readonly model: string
  /** Its tables that are compared, without the schema. */
  readonly tables: readonly string[]
  /** One more event, in log order, up to where the read model is. */
  take(event: Recorded): void
  /** Compares the tables with what the events gave. The tables stand still meanwhile. */
  compare(comparison: Comparison): Promise<unknown>
}

/** A comparison under way: one snapshot of the tables, and where differences go. */
export interface Comparison {
  /** The rows of a query in pages, so that a table of any size passes through. */
  rows<Row extends pg.QueryResultRow>(sql: string): AsyncIterable<Row>
  differs(difference: ColumnDifference): void
  /** So many rows of a table were looked at. */
  looked(rows: number): void
}

/** A column of a row whose value is another by the ledger. */
export interface ColumnDifference {
  readonly table: string
  readonly key: string
  readonly column: string
  readonly ledger: Figure
  readonly found: Figure
}

/** A value of a column. Lists are compared element by element. */
export type Figure = string | number | boolean | null | readonly string[]

/** Column of a difference that concerns the row as a whole. */
export const WHOLE_ROW = '(row)'

/**
 * Compares a table with the rows expected, keyed by text. `rows` come with their columns named as expected. Rows that
 * were met leave `expected`. Answers whether all was as expected.
 */
export async function compareTable<Row extends pg.QueryResultRow>(
  comparison: Comparison,
  table: string,
  {
    rows,
    expected,
    keyOf,
  }: {
    readonly rows: AsyncIterable<Row>
    readonly expected: Map<string, Readonly<Record<string, Figure>>>
    readonly keyOf: (row: Row) => string
  },
): Promise<boolean> {
  let looked = 0
  let isAsExpected = true
  const differs: Comparison['differs'] = (difference) => {
    isAsExpected = false
    comparison.differs(difference)
  }
  for await (const row of rows) {
    looked += 1
    const key = keyOf(row)
    const wanted = expected.get(key)
    if (wanted === undefined) {
      differs({ table, key, column: WHOLE_ROW, ledger: 'none', found: 'there' })
      continue
    }
    expected.delete(key)
    for (const [column, figure] of Object.entries(wanted)) {
      const found = row[column] as Figure
      if (!areSame(figure, found)) differs({ table, key, column, ledger: figure, found })
    }
  }
  for (const key of expected.keys())
    differs({ table, key, column: WHOLE_ROW, ledger: 'there', found: 'none' })
  comparison.looked(looked)
  return isAsExpected
}

const areSame = (a: Figure, b: Figure): boolean =>
  typeof a === 'object' && a !== null ? JSON.stringify(a) === JSON.stringify(b) : a === b
