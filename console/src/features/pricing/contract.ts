import type { Row } from '../../core/calls.ts'

/** A model on offer. `has_price` is false for one that is refused because it has no price. */
export type PricedModel = Row<'GET /api/pricing'>

/** The models on offer, and the groups that the reader may look at. */
export interface PriceList {
  readonly models: readonly PricedModel[]
  readonly groupRatio: Readonly<Record<string, number>>
  readonly usableGroup: Readonly<Record<string, string>>
}
