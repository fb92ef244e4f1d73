import type { EntryFacts } from '../../journal/entry-facts.ts'
import type { Queries } from '../../journal/queries.ts'
import type { Period } from '../period.ts'

/** A posting as a book shows it; `effective_at` in unix milliseconds. */
export interface BookPosting extends Pick<
  EntryFacts,
  'source' | 'token_id' | 'model' | 'request_id' | 'reason' | 'late'
> {
  readonly position: number
  readonly line: number
  readonly user_id: number
  readonly effective_at: number
  readonly from_account: string
  readonly to_account: string
  readonly amount: number
}

/** Read at once. */
const PAGE_POSTINGS = 1_000

/** An account's postings of a period, or only those of neither charges nor holds, in pages that split no event. */
export async function* postingsOf(
  queries: Queries,
  userId: number,
  period: Period,
  which: 'all' | 'rare',
): AsyncGenerator<readonly BookPosting[]> {
  // Positions and effective times of one account run alike; each index has its own order.
  const [where, order] =
    which === 'all'
      ? ['(effective_at, position) > ($4, $5)', 'effective_at, position, line']
      : [
          `position > $5 and effective_at >= $4 and source not in ('usage', 'hold')`,
          'position, line',
        ]
  let after = { effective_at: period.from, position: -1 }
  for (;;) {
    const { rows }: { rows: BookPosting[] } = await queries.query<BookPosting>(
      `select position, line, user_id, effective_at, from_account, to_account, amount, source, token_id, model,
         request_id, reason, late
       from journal.postings where user_id = $1 and effective_at >= $2 and effective_at < $3 and ${where}
       order by ${order} limit $6`,
      [userId, period.from, period.to, after.effective_at, after.position, PAGE_POSTINGS],
    )
    const isLast = rows.length < PAGE_POSTINGS
    const cut = rows.at(-1)?.position
    // The last event of a full page may go on in the next.
    const page = isLast ? rows : rows.filter(({ position }) => position !== cut)
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (isLast || last === undefined) return
    after = last
  }
}

/** The part of a period from the account's first posting in it up to its last; null where it has none. */
export async function spanOf(
  queries: Queries,
  userId: number,
  { from, to }: Period,
): Promise<Period | null> {
  const end = (order: '' | 'desc'): string =>
    `(select effective_at from journal.postings where user_id = $1 and effective_at >= $2 and effective_at < $3
      order by effective_at ${order}, position ${order}, line ${order} limit 1)`
  const { rows } = await queries.query<{ first: number | null; last: number | null }>(
    `select ${end('')} as first, ${end('desc')} as last`,
    [userId, from, to],
  )
  const { first = null, last = null } = rows[0] ?? {}
  return first === null || last === null ? null : { from: first, to: last + 1 }
}
