import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callEnvelope, get } from '../../core/api.ts'
import type { Entered } from '../../core/read-ahead.ts'
import type { PriceList } from './contract.ts'
import { matchesFuzzily, sortedModels } from './price-rows.ts'

/** The models on offer with their prices, gpt* first, and the groups one may look at. */
export const pricingQuery = queryOptions({
  queryKey: ['pricing'],
  queryFn: async (): Promise<PriceList> => {
    const answer = await callEnvelope('GET', '/api/pricing')
    return {
      models: sortedModels(answer.data),
      groupRatio: answer.group_ratio,
      usableGroup: answer.usable_group,
    }
  },
  staleTime: 60_000,
})

/** The completion ratios that hold without an entry: of served and priced models, and of the `added` ones. */
export const completionRatiosQuery = (added: readonly string[]) =>
  queryOptions({
    // Prices that are saved make it stale with the price list.
    queryKey: [...pricingQuery.queryKey, 'completion-ratios', added],
    queryFn: ({ signal }) =>
      get('/api/pricing/completion_ratios', { models: added.join(',') }, signal),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

/** Reads the models on offer with their prices. */
export function readAhead({ client }: Entered): void {
  void client.prefetchQuery(pricingQuery)
}

/** The models on offer whose name has these words, as a list; one call reads those of all words. */
export const pricedModelsQuery = (words: string) =>
  queryOptions({
    ...pricingQuery,
    select: ({ models }) => ({
      items: models.filter(({ model_name: name }) => matchesFuzzily(name, words)),
    }),
  })
