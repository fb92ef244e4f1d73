import { type Columns, type ColumnType, namesOf, unnest, valuesOf } from './columns.ts'
import type { ModelTables } from './model-tables.ts'

/** Every column that a row is written to. */
export type Written<Row> = Columns<Row> & Readonly<Record<string, ColumnType>>

/** Adds rows to a table of a read model. */
export async function insertRows<Row extends object>(
  tx: ModelTables,
  table: string,
  columns: Written<Row>,
  rows: readonly Row[],
): Promise<void> {
  await tx.query(insertOf(table, columns), valuesOf(rows, columns))
}

/** Adds rows, or where one with this key is there already, gives it the row's values of the columns that change. */
export async function upsertRows<Row extends object>(
  tx: ModelTables,
  table: string,
  {
    columns,
    key,
    changing,
  }: {
    readonly columns: Written<Row>
    readonly key: keyof Row & string
    readonly changing: readonly (keyof Row & string)[]
  },
  rows: readonly Row[],
): Promise<void> {
  const assignments = changing.map((name) => `${name} = excluded.${name}`)
  await tx.query(
    `${insertOf(table, columns)} on conflict (${key}) do update set ${assignments.join(', ')}`,
    valuesOf(rows, columns),
  )
}

const insertOf = (table: string, columns: Readonly<Record<string, ColumnType>>): string =>
  `insert into {${table}} (${namesOf(columns)}) select * from ${unnest(columns)}`
