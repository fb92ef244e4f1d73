import { COMMODITY } from './export/book-accounts.ts'

/** Columns behind those of a sheet of balances: without them, a saved file does not say what it is of. */
export const AS_OF_COLUMNS = ['unit', 'as_of', 'complete_to', 'final'] as const

export interface AsOfTold {
  /** Events before it are in, in RFC 3339; null = up to a position. */
  readonly at: string | null
  /** Everything up to this position of the log is in. */
  readonly completeTo: number
  readonly final: boolean
}

/** The values of these columns, the same on every line; `as_of` is empty where a position is the bound. */
export const asOfCells = ({ at, completeTo, final }: AsOfTold) => ({
  unit: COMMODITY,
  as_of: at ?? '',
  complete_to: completeTo,
  final,
})
