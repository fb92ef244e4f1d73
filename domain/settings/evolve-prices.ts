import type { SettingsEvent } from './events.ts'
import { isPlanned, isRevision } from './price-changes.ts'
import type { PriceRevisions } from './state.ts'

/** The revisions of prices after an event. */
export function evolvePrices(prices: PriceRevisions, event: SettingsEvent): PriceRevisions {
  switch (event.type) {
    case 'OptionChanged': {
      if (!isRevision(event)) return prices
      const newest = prices.newest + 1
      return { ...prices, newest, inForce: newest }
    }
    case 'PriceBookRevised': {
      const { number } = event.data
      const newest = Math.max(prices.newest, number)
      return isPlanned(event.data)
        ? { ...prices, newest, planned: [...prices.planned, event.data] }
        : { ...prices, newest, inForce: number }
    }
    case 'PriceRevisionTookEffect': {
      const { number } = event.data
      return { ...prices, inForce: number, planned: without(prices, number) }
    }
    case 'PriceRevisionWithdrawn': {
      const { number } = event.data
      const withdrawn = new Set(prices.withdrawn).add(number)
      return { ...prices, planned: without(prices, number), withdrawn }
    }
    case 'LogsCleared':
      return prices
    default:
      return event satisfies never
  }
}

const without = ({ planned }: PriceRevisions, number: number): PriceRevisions['planned'] =>
  planned.filter((one) => one.number !== number)
