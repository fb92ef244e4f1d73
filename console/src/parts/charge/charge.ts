import type { Answer } from '../../core/calls.ts'

/** A charge; `created_at` is when the ledger took it, in unix seconds. Users see no channels and nothing of upstream. */
export type Charge = Answer<'GET /api/ledger/charges/{request_id}'>

/** A charge worked out again from its inputs, line by line; decimal texts, in quota. */
export type ChargeExplanation = NonNullable<Charge['arithmetic']>

/** One line of a charge: a kind of token or call, how many, what one costs and why. */
export type ChargeLine = ChargeExplanation['lines'][number]

/** A factor of a rate, by the names of the API. */
export type FactorName = ChargeLine['factors'][number]['name']

/** A channel that was asked; how that ended is null where it was not noted. */
export type Attempt = Charge['attempts'][number]

/** In the order in which they are shown. */
export const UPSTREAM_FACTS = [
  'request_id',
  'response_id',
  'model',
  'service_tier',
  'speed',
  'region',
] as const

/** The price of a request; the ratios are absent beside a price for the call. */
export interface Price {
  readonly by: 'tokens' | 'call'
  readonly groupRatio: string
  readonly callPrice?: string
  readonly modelRatio?: string
  readonly completionRatio?: string
  readonly audioRatio?: string
  readonly audioCompletionRatio?: string
}
