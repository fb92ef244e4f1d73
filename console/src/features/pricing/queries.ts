import { queryOptions } from '@tanstack/react-query'
import { callEnvelope } from '../../core/api.ts'
import type { Pricing } from '../../core/contract.ts'
import type { PricedModel, PriceList } from './contract.ts'
import { sortedModels } from './price-rows.ts'

/** Beside the data, as the contract has them. */
type Groups = Pick<Pricing, 'group_ratio' | 'usable_group'>

/** The models on offer with their prices, gpt* first, and the groups one may look at. */
export const pricingQuery = queryOptions({
  queryKey: ['pricing'],
  queryFn: async (): Promise<PriceList> => {
    const answer = await callEnvelope<readonly PricedModel[]>('GET', '/api/pricing')
    const { data, group_ratio, usable_group } = answer as typeof answer & Groups
    return {
      models: sortedModels(data),
      groupRatio: group_ratio,
      usableGroup: usable_group,
    }
  },
  staleTime: 60_000,
})
