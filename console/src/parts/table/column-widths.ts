import { usePreference } from '../../core/preferences.ts'
import type { ColumnMeta } from './table-features.ts'

/** Pixels of a column that says none, and the least that a column can be dragged to. */
const WIDTH_DEFAULT = 120
export const WIDTH_MIN = 48
export const WIDTH_MAX = 800
/** Pixels of the column of boxes to tick. */
export const SELECT_WIDTH = 36

type Widths = Readonly<Record<string, number>>

/** The widths that were dragged in one table, by column, remembered in this browser. */
export function useColumnWidths(
  table: string,
): readonly [Widths, (column: string, width: number) => void] {
  const [stored, store] = usePreference('column-widths', '{}')
  const all = parsed(stored)
  const widths = all[table] ?? {}
  return [
    widths,
    (column, width) =>
      store(JSON.stringify({ ...all, [table]: { ...widths, [column]: clamped(width) } })),
  ]
}

/** The width of a column in pixels. A dragged column no longer grows. */
export function widthOf(
  id: string,
  meta: ColumnMeta | undefined,
  widths: Widths,
): { readonly width: number; readonly isGrowing: boolean } {
  const dragged = widths[id]
  if (dragged !== undefined) return { width: clamped(dragged), isGrowing: false }
  return { width: meta?.width ?? WIDTH_DEFAULT, isGrowing: meta?.isGrowing ?? false }
}

const clamped = (width: number): number =>
  Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width || WIDTH_DEFAULT)))

function parsed(text: string): Record<string, Widths | undefined> {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Record<string, Widths>) : {}
  } catch {
    // A damaged entry means the defaults; the next drag overwrites it.
    return {}
  }
}
