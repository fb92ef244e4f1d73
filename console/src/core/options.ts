import { queryOptions } from '@tanstack/react-query'
import { get, post } from './api.ts'

/** Options' texts by key. */
export interface OptionTexts extends ReadonlyMap<string, string> {
  /** Number of the revision of prices in force that the texts are at least as new as: what a save is based on. */
  readonly priceBase: number
}

/** All options as texts by key; for super administrators. */
export const optionsQuery = queryOptions({
  queryKey: ['options'],
  queryFn: async ({ signal }): Promise<OptionTexts> => {
    // Asked for first: prices that change between the two are a conflict when they are saved, never lost.
    const prices = await get('/api/ledger/prices', { limit: 1 }, signal)
    const options = await get('/api/option/', undefined, signal)
    const texts = new Map(options.map(({ key, value }) => [key, value]))
    return Object.assign(texts, { priceBase: prices.in_force })
  },
})

const PRICE_KEYS = [
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheWriteRatio',
  'CacheWrite1hRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'CachedAudioRatio',
  'CachedImageRatio',
  'ImageOutRatio',
  'GroupRatio',
  'PriceFactors',
  'ToolPrices',
  'QuotaPerUnit',
] as const
/** An option that is part of the price book. */
export type PriceKey = (typeof PRICE_KEYS)[number]

/** Whether an option is part of the price book, whose changes are saved together as one revision. */
export const isPriceKey = (key: string): key is PriceKey => PRICE_KEYS.some((one) => one === key)

/** Changed texts of prices by option, and the revision that they were written from. */
export interface ChangedPrices {
  readonly options: Readonly<Record<string, string>>
  readonly base: number
}

/** Prices to save at once: texts by option, from when on (unix milliseconds; null = now), and what they are based on. */
export interface PriceSave extends ChangedPrices {
  readonly effective_at: number | null
  readonly note: string
}

/** Saves prices as one revision; one that others saved meanwhile is a conflict. */
export const savePrices = (save: PriceSave) => post('/api/ledger/prices', save)
