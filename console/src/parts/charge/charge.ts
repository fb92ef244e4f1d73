/** The kind of token or call that a line charges for, by the names of the API. */
export type ChargeKind =
  | 'text-in'
  | 'cached-in'
  | 'cached-audio-in'
  | 'cached-image-in'
  | 'cache-write-in'
  | 'cache-write-1h-in'
  | 'image-in'
  | 'text-out'
  | 'audio-in'
  | 'audio-out'
  | 'image-out'
  | 'web-search'
  | 'file-search'
  | 'call'

/** A factor of a rate, by the names of the API. */
export type FactorName =
  | 'model-ratio'
  | 'group-ratio'
  | 'completion-ratio'
  | 'cache-ratio'
  | 'cached-audio-ratio'
  | 'cached-image-ratio'
  | 'cache-write-ratio'
  | 'cache-write-1h-ratio'
  | 'audio-ratio'
  | 'audio-completion-ratio'
  | 'image-out-ratio'
  | 'tier-factor'
  | 'speed-factor'
  | 'geo-factor'
  | 'long-prompt-factor'
  | 'call-price'
  | 'price-per-1000-calls'
  | 'quota-per-unit'

/** One line of a charge: a kind of token or call, how many, what one costs and why. Decimal texts, in quota. */
export interface ChargeLine {
  readonly kind: ChargeKind
  /** The price has no ratio for this kind: it costs as much as this other. */
  readonly pricedAs?: ChargeKind
  readonly count: number
  readonly factors: readonly { readonly name: FactorName; readonly value: string }[]
  readonly rate: string
  readonly quota: string
}

/** A charge as GET /api/ledger/charges/{request_id} tells it. */
export interface Charge {
  readonly event: { readonly id: string; readonly stream: string }
  readonly request_id: string
  /** Unix seconds; when the ledger took it. */
  readonly created_at: number
  readonly user_id: number
  readonly username: string
  readonly token_name: string
  readonly model: string
  readonly upstream_model: string
  readonly group: string
  readonly endpoint: string
  readonly is_stream: boolean
  readonly duration_ms: number
  readonly first_byte_ms: number | null
  /** Counts by kind of tokens and calls. */
  readonly usage: Readonly<Record<string, number>>
  readonly price: Readonly<Record<string, unknown>>
  readonly estimated: boolean
  readonly cancelled: boolean
  readonly cut_short: boolean
  readonly late: boolean
  readonly amount: number
  readonly from_hold: number
  readonly from_wallet: number
  readonly hold: string
  readonly sequence: number
  /** Null where an older price lacks what that needs. */
  readonly arithmetic: ChargeExplanation | null
  /** The channels in the order in which they were tried; users see none. */
  readonly attempts: readonly Attempt[]
  readonly attempt_count: number
  /** Facts that upstream sent beside its answer; null for users. */
  readonly upstream: Readonly<Record<(typeof UPSTREAM_FACTS)[number], string | null>> | null
}

/** A channel that was asked; how that ended is null where it was not noted. */
export interface Attempt {
  readonly channel_id: number
  readonly channel_name: string
  /** Unix milliseconds. */
  readonly started_at: number | null
  readonly ms: number | null
  readonly status: number | null
  readonly code: string | null
  readonly why: string | null
}

/** In the order in which they are shown. */
export const UPSTREAM_FACTS = [
  'request_id',
  'response_id',
  'model',
  'service_tier',
  'speed',
  'region',
] as const

/** A charge worked out again from its inputs. */
export interface ChargeExplanation {
  readonly lines: readonly ChargeLine[]
  readonly exact: string
  readonly rounding: 'none' | 'half-up' | 'minimum'
}

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
