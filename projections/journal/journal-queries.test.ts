import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JournalFilter } from './journal-filter.ts'
import { type JournalPlace, postingsBelow } from './journal-page.ts'
import { totalsByPostings, totalsBySums } from './journal-totals.ts'
import { journal, type PostingRow } from './projector.ts'

let log: ProjectionLog
let postings: readonly PostingRow[]
beforeAll(async () => {
  log = await openProjectionLog()
  const history = randomHistory({ seed: 21, steps: 400 })
  for (const { stream, event } of history.events) await log.append(stream, event)
  await log.project([journal])
  postings = (
    await log.pool.query<PostingRow>(
      'select * from journal.postings order by position desc, line desc',
    )
  ).rows
})
afterAll(() => log.close())

/** Moments between the first posting and the last, off the beginning of a day. */
function span(): { readonly from: number; readonly to: number } {
  const times = postings.map((row) => row.effective_at).toSorted((one, other) => one - other)
  const at = (part: number): number => times[Math.floor((times.length - 1) * part)] ?? 0
  return { from: at(0.2) + 1, to: at(0.8) + 1 }
}

const lets = (row: PostingRow, filter: JournalFilter): boolean =>
  (filter.account === undefined ||
    row.from_account === filter.account ||
    row.to_account === filter.account) &&
  (filter.userId === undefined || row.user_id === filter.userId) &&
  (filter.type === undefined || row.event_type === filter.type) &&
  (filter.min === undefined || row.amount >= filter.min) &&
  (filter.max === undefined || row.amount <= filter.max) &&
  (filter.model === undefined || row.model === filter.model) &&
  (filter.requestId === undefined || row.request_id === filter.requestId) &&
  (filter.fromPosition === undefined || row.position >= filter.fromPosition) &&
  (filter.toPosition === undefined || row.position <= filter.toPosition) &&
  (filter.from === undefined || row.effective_at >= filter.from) &&
  (filter.to === undefined || row.effective_at < filter.to)

/** Filters of every kind, made of what the history holds. */
function filters(): readonly JournalFilter[] {
  const charge = postings.find((row) => row.source === 'usage')
  const { from, to } = span()
  const user = charge?.user_id ?? 0
  return [
    {},
    { account: 'wallet' },
    { account: 'usage-revenue', from, to },
    { account: 'held', userId: user, from, to },
    { userId: user, from },
    { from, to: from + 1_000 },
    { to },
    { type: 'UsageCharged', min: 2, max: 1_000_000 },
    { account: 'wallet', model: charge?.model ?? '' },
    { requestId: charge?.request_id ?? '' },
    { fromPosition: 40, toPosition: 120, account: 'promotions' },
  ]
}

test('given filters of every kind, when read by pages, then each fitting posting comes once, newest first', async () => {
  for (const filter of filters()) {
    const read: PostingRow[] = []
    let below: JournalPlace | null = null
    for (let size = 7; size === 7;) {
      const page: readonly PostingRow[] = await postingsBelow(log.reads, filter, below, 7)
      read.push(...page)
      below = page.at(-1) ?? null
      size = page.length
    }
    expect({ filter, read }).toEqual({ filter, read: postings.filter((row) => lets(row, filter)) })
  }
})

test('given filters of every kind, when summed, then totals are those of the postings that fit', async () => {
  let bySums = 0
  for (const filter of filters()) {
    const fitting = postings.filter((row) => lets(row, filter))
    const sum = (rows: readonly PostingRow[]): string =>
      String(rows.reduce((total, row) => total + row.amount, 0))
    const debitAndCredit =
      filter.account === undefined
        ? { debits: null, credits: null }
        : {
            debits: sum(fitting.filter((row) => row.from_account === filter.account)),
            credits: sum(fitting.filter((row) => row.to_account === filter.account)),
          }
    const expected = { amount: sum(fitting), ...debitAndCredit }
    const counted = await totalsByPostings(log.reads, filter)
    expect({ filter, ...counted }).toEqual({ filter, ...expected, postings: fitting.length })
    const summed = await totalsBySums(log.reads, filter)
    if (summed === null) continue
    bySums += 1
    expect({ filter, ...summed }).toEqual({ filter, ...expected, postings: null })
  }
  expect(bySums).toBe(7)
})
