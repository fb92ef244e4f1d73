import {
  columnVisibilityFeature,
  createColumnHelper,
  metaHelper,
  rowSelectionFeature,
  tableFeatures,
} from '@tanstack/react-table'
import type { ColumnDef } from '@tanstack/react-table'

/** What our tables know of a column beside its cells: its side, its name in the column settings, its width. */
export interface ColumnMeta {
  readonly align?: 'end'
  readonly label?: string
  readonly width?: string
  /** Stays in view at that side of the row while the rest scrolls. */
  readonly pinned?: 'start' | 'end'
}

/** The table features in use; the rest of TanStack Table stays out of the bundle. */
export const features = tableFeatures({
  columnVisibilityFeature,
  rowSelectionFeature,
  columnMeta: metaHelper<ColumnMeta>(),
})

/** A column of a DataTable over rows of one type. */
// oxlint-disable-next-line typescript/no-explicit-any -- each column has a value type of its own, which only `any` spans (TanStack's own `columns()` returns the same).
export type Column<Row> = ColumnDef<typeof features, Row & object, any>

/** Makes columns whose cells are typed by their row. */
export function columnHelper<Row extends object>() {
  return createColumnHelper<typeof features, Row>()
}
