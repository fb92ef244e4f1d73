import {
  columnVisibilityFeature,
  createColumnHelper,
  metaHelper,
  tableFeatures,
} from '@tanstack/react-table'
import type { ColumnDef } from '@tanstack/react-table'

/** A column's place on a phone, where a row is two lines; a column without a place is left out there. */
export type PhonePlace = 'title' | 'value' | 'meta' | 'actions'

/** Pixels of a column whose cells are moments with date and time, in the widest of the system's fonts. */
export const TIME_WIDTH = 160

/** Properties of a column, beside its cells. */
export interface ColumnMeta {
  readonly align?: 'end'
  /** Pixels; 120 unless said otherwise. */
  readonly width?: number
  /** Takes what is left of the table's width, at least its own. */
  readonly isGrowing?: boolean
  /** Takes a part of what is left, beside its own width: this much of the sum of all shares. */
  readonly share?: number
  /** Stays in view at that side of the row while the rest scrolls. */
  readonly pinned?: 'start' | 'end'
  readonly phone?: PhonePlace
  /** The cells, or those of some rows, say on a phone what they hold, without the column's name before it. */
  readonly isNamed?: true | ((row: never) => boolean)
  /** Stays beside an open panel, where columns that do not fit are left out. */
  readonly isKept?: true
  /** Texts that are too long for one line go on in a second, in small type. */
  readonly isWrapping?: boolean
  /** The value that rows are sorted by when the header is clicked; without it they are not sorted. */
  readonly sortBy?: (row: never) => string | number
}

/** The table features in use; the rest of TanStack Table stays out of the bundle. */
export const features = tableFeatures({
  columnVisibilityFeature,
  columnMeta: metaHelper<ColumnMeta>(),
})

/** A column of a DataTable over rows of one type. */
// oxlint-disable-next-line typescript/no-explicit-any -- each column has a value type of its own, which only `any` spans (TanStack's own `columns()` returns the same).
export type Column<Row> = ColumnDef<typeof features, Row & object, any>

/** Makes columns whose cells are typed by their row. */
export function columnHelper<Row extends object>() {
  return createColumnHelper<typeof features, Row>()
}
