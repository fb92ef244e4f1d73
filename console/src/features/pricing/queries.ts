import { queryOptions } from '@tanstack/react-query'
import { callEnvelope } from '../../app/api.ts'
import type { Pricing } from '../../app/contract.ts'
import type { PricedModel, PriceList } from './contract.ts'
import { sortedModels } from './price-rows.ts'

/** The models on offer with their prices, gpt* first, and the groups one may look at. */
export const pricingQuery = queryOptions({
  queryKey: ['pricing'],
  queryFn: async (): Promise<PriceList> => {
    const answer = await callEnvelope<readonly PricedModel[]>('GET', '/api/pricing')
    const { group_ratio, usable_group } = answer as unknown as Pricing
    return {
      models: sortedModels(answer.data),
      groupRatio: group_ratio,
      usableGroup: usable_group,
    }
  },
  staleTime: 60_000,
})
