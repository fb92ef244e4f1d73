import type { CommonQueryMethods } from 'slonik'
import { type Book, bookEntries, type BookEntry, dayIn } from './book-entries.ts'
import { bare, type Piece } from '../../archive/zip.ts'

/** How a program of plain-text accounting wants a book written. */
export interface BookWords {
  /** Accounts, commodity and the opening balances. */
  readonly head: (book: Book) => string
  readonly entry: (entry: BookEntry) => string
  /** Asserts the closing balances, so that the program refuses a book that does not lead to them. */
  readonly foot: (book: Book) => string
}

/** A whole book, piece by piece; its rows are transactions. */
export async function* bookText(
  reads: CommonQueryMethods,
  book: Book,
  words: BookWords,
): AsyncGenerator<Piece> {
  yield bare(words.head(book))
  for await (const entries of bookEntries(reads, book)) {
    const legs = entries.flatMap((entry) => entry.legs)
    yield {
      text: entries.map(words.entry).join(''),
      rows: entries.length,
      debits: legs.reduce((sum, { amount }) => (amount > 0 ? sum + BigInt(amount) : sum), 0n),
      credits: legs.reduce((sum, { amount }) => (amount < 0 ? sum - BigInt(amount) : sum), 0n),
    }
  }
  yield bare(words.foot(book))
}

/** The price of quota on each day that it changed, of several on one day the last. */
export function pricesByDay({ prices, zone }: Book): ReadonlyMap<string, string> {
  const dayOf = dayIn(zone)
  return new Map(prices.map(({ at, usd }) => [dayOf(at), usd]))
}

export const dayOfOpening = ({ period, zone }: Book): string => dayIn(zone)(period.from)

/** The last day that is in the period. */
export const dayOfClosing = ({ period, zone }: Book): string => dayIn(zone)(period.to - 1)

/** The day after one that is written YYYY-MM-DD. */
export const dayAfter = (day: string): string =>
  new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
