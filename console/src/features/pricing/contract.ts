import type { PricingModel } from '../../core/contract.ts'

/** A row of GET /api/pricing. `has_price` is false for a model that is refused because it has no price. */
export interface PricedModel extends PricingModel {
  readonly has_price?: boolean
}

/** The whole answer of GET /api/pricing. */
export interface PriceList {
  readonly models: readonly PricedModel[]
  readonly groupRatio: Readonly<Record<string, number>>
  readonly usableGroup: Readonly<Record<string, string>>
}
