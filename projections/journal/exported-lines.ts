import { CSV_BATCH_ROWS } from '@tollgate/command-api/http-contract/csv-batches.ts'
import { type JournalLine, type PostingNames, tellPostings } from './journal-answers.ts'
import type { JournalFilter } from './journal-filter.ts'
import { type JournalPlace, postingsBelow } from './journal-page.ts'
import type { CommonQueryMethods } from 'slonik'

/** The columns of a posting in a CSV file; the three balances are those after it. */
export const CSV_COLUMNS = [
  'position',
  'line',
  'time',
  'at',
  'effective_at',
  'user_id',
  'username',
  'from_account',
  'to_account',
  'amount',
  'wallet',
  'held',
  'affiliate',
  'event_type',
  'event_id',
  'actor',
  'actor_name',
  'source',
  'token_id',
  'token_name',
  'channel',
  'channel_name',
  'model',
  'request_id',
  'reason',
  'note',
  'late',
] as const

/** A posting as files have it: with the balances after it, and its moment as people read it. */
export type ExportedLine = Omit<JournalLine, 'before' | 'after'> &
  JournalLine['after'] & { readonly time: string }

/** Every posting that is filtered, newest first. */
export async function* exportedLines(
  reads: CommonQueryMethods,
  names: PostingNames,
  filter: JournalFilter,
): AsyncGenerator<readonly ExportedLine[]> {
  let below: JournalPlace | null = null
  while (true) {
    const rows = await postingsBelow(reads, filter, below, CSV_BATCH_ROWS)
    const lines = await tellPostings(names, rows)
    yield lines.map(({ after, before: _before, ...line }) => ({
      ...line,
      ...after,
      time: new Date(line.at).toISOString(),
    }))
    below = rows.at(-1) ?? null
    if (below === null || rows.length < CSV_BATCH_ROWS) return
  }
}
