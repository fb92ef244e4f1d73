import { upsertRows, type Written } from './insert-rows.ts'
import type { ModelTables } from './model-tables.ts'

/** A table with one row for each stream of a kind. */
export interface RowsOfStreams<Row extends object, Event extends { readonly stream: string }> {
  readonly table: string
  readonly columns: Written<Row>
  /** The column that names the stream. */
  readonly key: keyof Row & string
  readonly keyOf: (stream: string) => string | number
  /** The columns that are not as the first event left them. */
  readonly changing: readonly (keyof Row & string)[]
  /** The row after one more event; undefined when the event concerns nothing that is known. */
  readonly evolve: (row: Row | undefined, event: Event) => Row | undefined
}

/** Brings the rows of a batch's streams to where its events leave them. */
export async function evolveRows<Row extends object, Event extends { readonly stream: string }>(
  tx: ModelTables,
  { table, columns, key, keyOf, changing, evolve }: RowsOfStreams<Row, Event>,
  batch: readonly Event[],
): Promise<void> {
  const keys = [...new Set(batch.map(({ stream }) => keyOf(stream)))]
  if (keys.length === 0) return
  const present = await tx.query<Row>(`select * from {${table}} where ${key} = any($1)`, [keys])
  const rows = new Map<unknown, Row>(present.map((row) => [row[key], row]))
  for (const event of batch) {
    const row = evolve(rows.get(keyOf(event.stream)), event)
    if (row !== undefined) rows.set(keyOf(event.stream), row)
  }
  await upsertRows(tx, table, { columns, key, changing }, [...rows.values()])
}
