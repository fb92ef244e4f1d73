import { type Position, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { type PriceBook, priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { isPricingOption } from '@tollgate/domain/settings/catalogue.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import { type OptionsView, optionsFrom } from '@tollgate/domain/settings/options.ts'
import type { ReplayPrices } from './definition.ts'

/** Price books as the settings' events made them. */
export interface Books {
  /** The last pricing change at or before a position; −1 = the defaults. */
  revisionAt(position: Position): Position
  /** The book of a revision, as charges name it. */
  book(revision: Position): PriceBook
  /** The book that prices ask for; null as charged. `end` = where the replay's log ends. */
  chosen(prices: ReplayPrices, end: Position): PriceBook | null
}

interface Change {
  readonly position: Position
  readonly key: string
  readonly value: string
}

/** Books in memory at once; each is a few hundred texts. */
const BOOKS_MAX = 200

/** Options that a book is made of besides those that make a revision. */
const IN_BOOKS: ReadonlySet<string> = new Set(['SelfUseModeEnabled', 'PreConsumedQuota'])

/** Reads the stream `settings` once. */
export async function readBooks(store: Pick<EventStore, 'readStream'>): Promise<Books> {
  const changes: Change[] = []
  for await (const stored of store.readStream(SETTINGS_STREAM)) {
    const { type, data } = stored as typeof stored & SettingsEvent
    if (type !== 'OptionChanged' || data.value === null) continue
    if (!isPricingOption(data.key) && !IN_BOOKS.has(data.key)) continue
    changes.push({ position: stored.position, key: data.key, value: data.value })
  }
  const books = new Map<Position, PriceBook>()
  const optionsAt = (position: Position): OptionsView =>
    optionsFrom(
      changes.filter((one) => one.position <= position).map(({ key, value }) => [key, value]),
    )
  const revisionAt = (position: Position): Position =>
    changes.findLast((one) => one.position <= position && isPricingOption(one.key))?.position ?? -1

  function book(revision: Position): PriceBook {
    const known = books.get(revision)
    if (known !== undefined) return known
    if (books.size >= BOOKS_MAX) books.clear()
    const made = priceBookFrom(optionsAt(revision), revision)
    books.set(revision, made)
    return made
  }

  return {
    revisionAt,
    book,
    chosen(prices, end) {
      if (prices === 'as-charged') return null
      if (typeof prices === 'number') return book(revisionAt(Math.min(prices, end)))
      const today = revisionAt(end)
      if (prices === 'today') return book(today)
      const draft = Object.entries(prices.options).reduce(
        (options, [key, value]) => options.with(key, value),
        optionsAt(end),
      )
      return priceBookFrom(draft, today)
    },
  }
}
