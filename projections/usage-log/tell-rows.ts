import { priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { distinctIds, type Names } from '../http/names.ts'
import type { RowNames } from './entity.ts'
import { detailOf } from './entity.ts'
import type { LogRow } from './row.ts'

/** The dependencies of telling rows: options and names. */
export interface TellingDeps {
  /** The options in force. */
  readonly currentOptions: () => OptionsView
  readonly names: Names
}

/** Rows as an answer has them, with the names of what they call by number. */
export async function tellRows<Told>(
  { names, currentOptions }: TellingDeps,
  rows: readonly LogRow[],
  entity: (row: LogRow, names: RowNames) => Told,
): Promise<readonly Told[]> {
  const [users, tokens, channels, notes] = await Promise.all([
    names.users(distinctIds(rows.map((row) => row.user_id))),
    names.tokens(distinctIds(rows.map((row) => row.token_id))),
    names.channels(distinctIds(rows.flatMap(channelsOf))),
    names.notes(rows.flatMap((row) => noteOf(row) ?? [])),
  ])
  const prices = priceBookFrom(currentOptions(), 0)
  return rows.map((row) => entity(row, { users, tokens, channels, notes, prices }))
}

/** The note of an adjustment; null when there is none. */
function noteOf(row: LogRow): string | null {
  const detail = detailOf(row)
  return detail !== null && 'edit' in detail ? detail.edit.note : null
}

/** The channel that a row names, and those that were tried before it. */
function channelsOf(row: LogRow): readonly number[] {
  const detail = detailOf(row)
  return detail !== null && 'path' in detail ? [row.channel, ...detail.path] : [row.channel]
}
