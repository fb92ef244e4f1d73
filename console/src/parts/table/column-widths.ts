import { usePreference } from '../../core/preferences.ts'
import type { ColumnMeta } from './table-features.ts'

/** Pixels of a column that says none, and the least that a column can be dragged to. */
const WIDTH_DEFAULT = 120
export const WIDTH_MIN = 48
export const WIDTH_MAX = 800
/** Pixels of the column of boxes to tick. */
export const SELECT_WIDTH = 36

type Widths = Readonly<Record<string, number>>

/** How wide a column is: its pixels, and how it takes part in what is left of the table's width. */
export interface ColumnWidth {
  readonly width: number
  readonly isGrowing: boolean
  readonly share: number
}

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

/** The width of a column in pixels, and its share of what is left. A dragged column no longer grows. */
export function widthOf(id: string, meta: ColumnMeta | undefined, widths: Widths): ColumnWidth {
  const dragged = widths[id]
  if (dragged !== undefined) return { width: clamped(dragged), isGrowing: false, share: 0 }
  return {
    width: meta?.width ?? WIDTH_DEFAULT,
    isGrowing: meta?.isGrowing ?? false,
    share: meta?.share ?? 0,
  }
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

/**
 * The CSS width of each column of a table; undefined for one that takes all that is left. The table stands in a
 * container of its size.
 */
export function cssWidths(sizes: readonly ColumnWidth[], least: number): (string | undefined)[] {
  const shares = sizes.reduce((sum, { share }) => sum + share, 0)
  return sizes.map(({ width, isGrowing, share }) => {
    if (isGrowing) return undefined
    if (share === 0) return `${width}px`
    return `calc(${width}px + ${share / shares} * max(0px, 100cqi - ${least}px))`
  })
}

/** A column and what it takes of a table's width. */
interface Fitted {
  readonly id: string
  readonly width: number
  readonly meta: ColumnMeta | undefined
}

/**
 * The columns that are left out for the others to fit into a room of so many pixels, as beside an open panel: from the
 * end, first those that a phone has no place for, then those of its second line.
 */
export function leftOut(columns: readonly Fitted[], room: number): ReadonlySet<string> {
  let least = columns.reduce((sum, { width }) => sum + width, 0)
  const out = new Set<string>()
  for (const place of [undefined, 'meta'] as const)
    for (const { id, width, meta } of columns.toReversed()) {
      if (least <= room) return out
      if (meta?.phone !== place || meta?.pinned !== undefined || meta?.isKept) continue
      out.add(id)
      least -= width
    }
  return out
}
