import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { postingRow } from '../../journal/projector.ts'
import type { Period } from '../period.ts'

const bookPosting = postingRow.pick({
  position: true,
  line: true,
  user_id: true,
  effective_at: true,
  from_account: true,
  to_account: true,
  amount: true,
  source: true,
  token_id: true,
  model: true,
  request_id: true,
  reason: true,
  late: true,
})
/** A posting as a book shows it; `effective_at` in unix milliseconds. */
export type BookPosting = Readonly<z.output<typeof bookPosting>>

/** Read at once. */
const PAGE_POSTINGS = 1_000

type BookPlace = Pick<BookPosting, 'effective_at' | 'position'>

/** Positions and effective times of one account run alike; each index has its own order. */
const WAYS = {
  all: (after: BookPlace): FragmentSqlToken =>
    sql.fragment`(effective_at, position) > (${after.effective_at}, ${after.position})
      order by effective_at, position, line`,
  rare: (after: BookPlace): FragmentSqlToken =>
    sql.fragment`position > ${after.position} and effective_at >= ${after.effective_at}
      and source not in ('usage', 'hold') order by position, line`,
} as const

/** An account's postings of a period, or only those of neither charges nor holds, in pages that split no event. */
export async function* postingsOf(
  reads: CommonQueryMethods,
  userId: number,
  period: Period,
  which: 'all' | 'rare',
): AsyncGenerator<readonly BookPosting[]> {
  let after: BookPlace = { effective_at: period.from, position: -1 }
  for (;;) {
    const rows: readonly BookPosting[] = await reads.any(sql.type(bookPosting)`
      select position, line, user_id, effective_at, from_account, to_account, amount, source, token_id, model,
        request_id, reason, late
      from journal.postings
      where user_id = ${userId} and effective_at >= ${period.from} and effective_at < ${period.to}
        and ${WAYS[which](after)} limit ${PAGE_POSTINGS}`)
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

const spanRow = z.object({ first: z.number().nullable(), last: z.number().nullable() })

/** The part of a period from the account's first posting in it up to its last; null where it has none. */
export async function spanOf(
  reads: CommonQueryMethods,
  userId: number,
  { from, to }: Period,
): Promise<Period | null> {
  const inPeriod = sql.fragment`user_id = ${userId} and effective_at >= ${from} and effective_at < ${to}`
  const { first, last } = await reads.one(sql.type(spanRow)`
    select
      (select effective_at from journal.postings where ${inPeriod}
       order by effective_at, position, line limit 1) as first,
      (select effective_at from journal.postings where ${inPeriod}
       order by effective_at desc, position desc, line desc limit 1) as last`)
  return first === null || last === null ? null : { from: first, to: last + 1 }
}
