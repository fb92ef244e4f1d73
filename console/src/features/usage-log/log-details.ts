import type { Log } from '../../core/contract.ts'
import type { Attempt, Price } from '../../parts/charge/charge.ts'

/** The details in a row's `other` text; older rows and other types hold less. */
export interface LogDetails {
  readonly model_ratio?: number
  readonly model_price?: number
  readonly group_ratio?: number
  readonly completion_ratio?: number
  readonly cache_tokens?: number
  readonly cache_ratio?: number
  readonly cache_creation_tokens?: number
  readonly frt?: number
  readonly is_model_mapped?: boolean
  readonly upstream_model_name?: string
  readonly reasoning_effort?: string
  readonly admin_info?: {
    readonly use_channel?: readonly string[]
    /** The attempts of a failed request. */
    readonly attempts?: readonly Attempt[]
  }
  readonly audio?: boolean
  /** The amount of a credit, debit or refund, in quota. */
  readonly amount?: number
  /** The text of such a booking: its code and, in `params`, its values; numbers are quota. */
  readonly code?: string
  readonly params?: Readonly<Record<string, string | number>>
  /** As it was when the request was admitted; decimal texts. */
  readonly price?: Price
  readonly duration_ms?: number
  readonly estimated?: boolean
  readonly cancelled?: boolean
  readonly cut_short?: boolean
  /** Thinking was off, because earlier thoughts were lost. */
  readonly thinking_lost?: boolean
  readonly late?: boolean
  readonly from_hold?: number
  readonly from_wallet?: number
  readonly endpoint?: string
  readonly error_type?: string
  readonly error_code?: string
  readonly status_code?: number
  /** How the client calls the request, and its trace. */
  readonly client_request_id?: string
  readonly trace_id?: string
  /** Failures that this row stands for besides its own. */
  readonly suppressed?: number
}

/** How long a request took, in milliseconds; null where that is not known: older rows have whole seconds alone. */
export function durationMs(log: Log): number | null {
  const exact = detailsOf(log).duration_ms
  if (exact !== undefined) return exact
  return log.use_time > 0 ? log.use_time * 1000 : null
}

/** Token name and text of a channel test's row. */
export const CHANNEL_TEST = '模型测试'

/** The error type of every refusal that Tollgate itself gives; all others are an upstream's. */
const OWN_ERROR_TYPE = 'new_api_error'

/** Whether a failed request was refused by Tollgate itself and not by an upstream. */
export const isOwnRefusal = (details: LogDetails): boolean => details.error_type === OWN_ERROR_TYPE

/** The details of a row; a row without any, or with damaged ones, has none. */
export function detailsOf(log: Log): LogDetails {
  try {
    const value: unknown = JSON.parse(log.other || '{}')
    return value !== null && typeof value === 'object' ? value : {}
  } catch {
    // An unreadable text is shown raw in the panel, so nothing is hidden by treating it as empty here.
    return {}
  }
}

/** The channels that were tried, in order, joined as the seeds show them; empty when the first one answered. */
export function retryPath(details: LogDetails): string {
  const tried = details.admin_info?.use_channel ?? []
  return tried.length > 1 ? tried.join('->') : ''
}

/** Whole milliseconds to the first byte, or null when it is not known (the contract writes −1000 then). */
export function firstByteMs(details: LogDetails): number | null {
  return details.frt !== undefined && details.frt >= 0 ? details.frt : null
}

/** Tone of a duration in seconds; thresholds of the seeds, section 9: 101 and 300 s, to the first byte 3 and 10 s. */
export function durationTone(
  seconds: number,
  [fair, slow]: readonly [number, number],
): 'good' | 'warning' | 'bad' {
  if (seconds < fair) return 'good'
  return seconds < slow ? 'warning' : 'bad'
}

/** Thresholds in seconds for the whole answer and for its first byte. */
export const DURATION_LIMITS = { total: [101, 300], firstByte: [3, 10] } as const
