import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { EntrySource } from '../../journal/entry-facts.ts'
import type { LedgerBalances } from '../../journal/queries.ts'
import { zoneDays } from '../../zones/zone-days.ts'
import { partAt, partsOf, type Period } from '../period.ts'
import { ANYTHING, type Sum, sumsOf } from '../sums.ts'
import { bookAccount, ownAccount } from './book-accounts.ts'
import { type BookPosting, postingsOf, spanOf } from './book-postings.ts'
import type { QuotaPrice } from './quota-prices.ts'

/** `day-model`: the charges of a day and model are one transaction; `none`: each event is one. */
export const BOOK_GROUPS = ['day-model', 'none'] as const
export type BookGroup = (typeof BOOK_GROUPS)[number]

export interface WantedBook {
  readonly userId: number
  readonly period: Period
  readonly zone: string
  readonly group: BookGroup
}

/** A user's book between two balances. */
export interface Book extends WantedBook {
  readonly opening: LedgerBalances
  readonly closing: LedgerBalances
  /** The values of the book's commodity in the period, the first at its beginning. */
  readonly prices: readonly QuotaPrice[]
}

/** A transaction of a book. */
export interface BookEntry {
  /** YYYY-MM-DD in the book's zone. */
  readonly day: string
  readonly kind: EntrySource
  /** The position of the event, or of the first and last event that are in it. */
  readonly positions: string
  /** By names of lower-case letters; free text, as events have it. */
  readonly facts: Readonly<Record<string, string>>
  readonly legs: readonly Leg[]
}

/** A transaction's change of an account: above zero a debit, below a credit, so that all legs add up to zero. */
export interface Leg {
  readonly account: string
  readonly amount: number
}

/**
 * Every transaction of a book in the order of time, in batches of bounded size. The transactions of a period change the
 * user's ledger accounts by closing − opening.
 */
export async function* bookEntries(
  reads: CommonQueryMethods,
  book: WantedBook,
): AsyncGenerator<readonly BookEntry[]> {
  if (book.group === 'none') {
    const dayOf = dayIn(book.zone)
    for await (const postings of postingsOf(reads, book.userId, book.period, 'all')) {
      yield entriesOf(postings, dayOf)
    }
    return
  }
  const span = await spanOf(reads, book.userId, book.period)
  if (span === null) return
  const months = partsOf(span, book.zone, 'month')
  for (const index of months.keys()) yield* monthByDays(reads, book, partAt(months, index, span))
}

/** The rare events of each day one by one, its charges by model, and what its holds have set aside at its end. */
async function* monthByDays(
  reads: CommonQueryMethods,
  { userId, zone }: WantedBook,
  month: Period,
): AsyncGenerator<readonly BookEntry[]> {
  const dayOf = dayIn(zone)
  const starts = partsOf(month, zone, 'day')
  const charges = { ...ANYTHING, source: 'usage' } as const
  const sums = await sumsOf(reads, {
    userId,
    period: month,
    starts,
    keys: ['model'],
    filter: charges,
  })
  const held = await heldAt(reads, userId, [...starts, month.to])
  const dayEnd = (part: number): readonly BookEntry[] => {
    const day = dayOf(starts[part] ?? month.from)
    const ofPart = sums.filter((sum) => sum.part === part)
    return [
      ...ofPart.map((sum) => chargesEntry(day, userId, sum)),
      ...holdsEntry(day, userId, (held[part + 1] ?? 0) - (held[part] ?? 0)),
    ]
  }
  let part = 0
  for await (const postings of postingsOf(reads, userId, month, 'rare')) {
    const batch: BookEntry[] = []
    let pending: BookPosting[] = []
    for (const posting of postings) {
      while (part + 1 < starts.length && posting.effective_at >= (starts[part + 1] ?? Infinity)) {
        batch.push(...entriesOf(pending, dayOf), ...dayEnd(part))
        pending = []
        part += 1
      }
      pending.push(posting)
    }
    yield [...batch, ...entriesOf(pending, dayOf)]
  }
  for (; part < starts.length; part += 1) yield dayEnd(part)
}

/** Postings of one event together, in the order that they come in. */
function entriesOf(
  postings: readonly BookPosting[],
  dayOf: (at: number) => string,
): readonly BookEntry[] {
  const events = Map.groupBy(postings, ({ position }) => position)
  return [...events.values()].flatMap((own) => {
    const [first] = own
    return first === undefined ? [] : [eventEntry(first, own, dayOf(first.effective_at))]
  })
}

function eventEntry(first: BookPosting, own: readonly BookPosting[], day: string): BookEntry {
  const amounts = new Map<string, number>()
  const add = (account: string, amount: number): void => {
    const name = bookAccount(account, first.user_id)
    amounts.set(name, (amounts.get(name) ?? 0) + amount)
  }
  for (const { from_account, to_account, amount } of own) {
    add(from_account, amount)
    add(to_account, -amount)
  }
  return {
    day,
    kind: first.source,
    positions: String(first.position),
    facts: {
      at: new Date(first.effective_at).toISOString(),
      ...given('request', first.request_id),
      ...given('model', first.model),
      ...given('token', first.token_id === 0 ? '' : String(first.token_id)),
      ...given('reason', first.reason),
      ...given('late', first.late === 1 ? 'true' : ''),
    },
    legs: [...amounts].map(([account, amount]) => ({ account, amount })),
  }
}

const given = (name: string, value: string): Readonly<Record<string, string>> =>
  value === '' ? {} : { [name]: value }

const chargesEntry = (day: string, userId: number, sum: Sum): BookEntry => ({
  day,
  kind: 'usage',
  positions: `${sum.first_position}..${sum.last_position}`,
  facts: { ...given('model', sum.model), requests: String(sum.events) },
  legs: moved('wallet', 'usage-revenue', sum.debit, userId),
})

/** Charges are written as if all came from the wallet, so that holds come down to what is set aside at the day's end. */
const holdsEntry = (day: string, userId: number, change: number): readonly BookEntry[] =>
  change === 0
    ? []
    : [
        {
          day,
          kind: 'hold',
          positions: '',
          facts: {},
          legs: moved('wallet', 'held', change, userId),
        },
      ]

const moved = (from: string, to: string, amount: number, userId: number): readonly Leg[] => [
  { account: bookAccount(from, userId), amount },
  { account: bookAccount(to, userId), amount: -amount },
]

/** The quota that holds set aside right before each of these moments. */
const heldAt = (
  reads: CommonQueryMethods,
  userId: number,
  moments: readonly number[],
): Promise<readonly number[]> =>
  reads.anyFirst(sql.type(z.object({ held: z.number() }))`
    select coalesce(last.held, 0) as held
    from unnest(${sql.array(moments, 'int8')}) with ordinality as moment (at, place)
    left join lateral (
      select held from journal.postings where user_id = ${userId} and effective_at < moment.at
      order by effective_at desc, position desc, line desc limit 1
    ) as last on true order by place`)

const DAY_MS = 86_400_000

/** The day of a moment in a zone. */
export function dayIn(zone: string): (at: number) => string {
  const { dayOf } = zoneDays(zone)
  return (at) => new Date(dayOf(at) * DAY_MS).toISOString().slice(0, 10)
}

/** The user's own legs of the balances that a book begins with; `OPENING` stands on the other side. */
export function openingLegs(balances: LedgerBalances, userId: number): readonly Leg[] {
  const { wallet, held, affiliate } = balances
  return [
    { account: ownAccount('wallet', userId), amount: -wallet },
    { account: ownAccount('held', userId), amount: -held },
    { account: ownAccount('affiliate', userId), amount: -affiliate },
  ].filter(({ amount }) => amount !== 0)
}
