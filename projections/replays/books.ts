import { type Position, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { type PriceBook, priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { isSettingsEvent } from '@tollgate/domain/settings/events.ts'
import { withTexts } from '@tollgate/domain/settings/price-changes.ts'
import {
  type PriceHistory,
  priceHistory,
  type SettingsRecord,
} from '@tollgate/domain/settings/price-history.ts'
import type { ReplayPrices } from './definition.ts'

/** Price books as the settings' events made them. */
export interface Books extends PriceHistory {
  /** The book that prices ask for; null as charged. `end` = where the replay's log ends. */
  chosen(prices: ReplayPrices, end: Position): PriceBook | null
}

/** Reads the stream `settings` once. */
export async function readBooks(store: Pick<EventStore, 'readStream'>): Promise<Books> {
  const events: SettingsRecord[] = []
  for await (const event of store.readStream(SETTINGS_STREAM)) {
    if (isSettingsEvent(event)) events.push(event)
  }
  const history = priceHistory(events)
  return {
    ...history,
    chosen(prices, end) {
      if (prices === 'as-charged') return null
      if (typeof prices === 'number') {
        const isRevision = history.revision(prices) !== null
        return history.book(isRevision ? prices : history.revisionAt(Math.min(prices, end)))
      }
      const today = history.revisionAt(end)
      if (prices === 'today') return history.book(today)
      const texts = Object.entries(prices.options).map(([key, value]) => ({ key, value }))
      return priceBookFrom(withTexts(history.optionsAt(end), texts), today)
    },
  }
}
