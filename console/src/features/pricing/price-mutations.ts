import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { post } from '../../core/api.ts'
import type { Answer } from '../../core/calls.ts'
import { i18n } from '../../core/i18n.ts'
import { optionsQuery, type PriceSave, savePrices } from '../../core/options.ts'
import { statusQuery } from '../../core/status.ts'
import { notifySuccess } from '../../parts/notify.tsx'
import { shownZone } from '../../core/time-zone.ts'
import { pricingQuery } from './queries.ts'

/** The queries that a save of prices, or an attempt at one, makes stale. */
export const PRICE_READS: readonly QueryKey[] = [
  optionsQuery.queryKey,
  pricingQuery.queryKey,
  ['prices'],
  // It tells how much quota a dollar is.
  statusQuery.queryKey,
]

/** Saves prices as one revision and says which it is. */
export async function saveRevision(client: QueryClient, save: PriceSave): Promise<void> {
  const { number, status } = await savePrices(save)
  // The form falls back to the present prices, which have to be the new ones by then.
  await client.invalidateQueries({ queryKey: optionsQuery.queryKey })
  notifySuccess(
    i18n.t(status === 'planned' ? 'pricing.savedPlanned' : 'pricing.savedNow', { number }),
  )
}

type Preview = Answer<'POST /api/ledger/prices/preview'>

/** One price that changes; decimal texts, JSON of factors, null = no entry. `name` is '' for an option of one number. */
export type PriceEntry = Preview['changes'][number]

/** Sums in quota. */
export type PriceEffect = Pick<Preview['effect'], 'charges' | 'quota' | 'repriced' | 'unpriced'>

/** The differences of changed prices, and the cost of the last week and of the reader's yesterday at them. */
export function previewQuery(options: Readonly<Record<string, string>>) {
  const zone = shownZone()
  return queryOptions({
    queryKey: ['prices', 'preview', options, zone],
    queryFn: () => post('/api/ledger/prices/preview', { options, zone }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
}
