import type { Column } from './table-features.ts'

/** Rows in the order of a column: `name` upwards, `-name` downwards. Rows of equal rank keep the order they came in. */
export function sortRows<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: string | undefined,
): readonly Row[] {
  if (sort === undefined) return rows
  const { id, isDown } = sortOf(sort)
  const sortBy = columns.find((column) => columnId(column) === id)?.meta?.sortBy as
    | ((row: Row) => string | number)
    | undefined
  if (!sortBy) return rows
  const direction = isDown ? -1 : 1
  return rows.toSorted((one, other) => direction * compare(sortBy(one), sortBy(other)))
}

/** The column and direction that a sort in an address names. */
export function sortOf(sort: string): { readonly id: string; readonly isDown: boolean } {
  return sort.startsWith('-') ? { id: sort.slice(1), isDown: true } : { id: sort, isDown: false }
}

/** The sort after a click on a header: largest first, then smallest first, then as the server sent them. */
export function nextSort(sort: string | undefined, id: string): string | undefined {
  if (sort === `-${id}`) return id
  return sort === id ? undefined : `-${id}`
}

/** The id that TanStack Table gives a column. */
export function columnId<Row>(column: Column<Row>): string {
  const { id, accessorKey } = column as { id?: string; accessorKey?: string }
  return id ?? accessorKey ?? ''
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one).localeCompare(String(other), undefined, { numeric: true })
}
