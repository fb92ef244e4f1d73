import type { Log } from '../../core/contract.ts'
import type { FactorName } from '../../parts/charge/charge.ts'
import type { LogDetails } from './log-details.ts'
import { CHANNEL_TEST, isOwnRefusal } from './log-details.ts'

/** The sentence of a row: the name of a text and its values, whose amounts are quota. */
export type Sentence =
  | { readonly type: 'factors'; readonly factors: readonly Factor[]; readonly model: string }
  | { readonly type: 'refusal'; readonly code: RefusalCode }
  | {
      readonly type: 'booking'
      readonly name: BookingName
      /** Numbers are quota. */
      readonly values: Readonly<Record<string, string | number>>
    }
  | { readonly type: 'words'; readonly words: string }

interface Factor {
  readonly name: FactorName
  /** Exact. */
  readonly value: string
}

/** The sentence of a row. Its `content` is Chinese and rounds ratios: it is for clients of the API. */
export function sentenceOf(log: Log, details: LogDetails): Sentence {
  const { content } = log
  if (content === CHANNEL_TEST) return { type: 'booking', name: 'channel_tested', values: {} }
  if (log.type === 2) {
    const factors = factorsOf(details)
    const model = FAMILY.exec(content)?.groups?.['model'] ?? ''
    return factors.length > 0
      ? { type: 'factors', factors, model }
      : { type: 'words', words: content }
  }
  if (log.type === 5) {
    const code = REFUSALS.find((one) => one === details.error_code)
    return isOwnRefusal(details) && code
      ? { type: 'refusal', code }
      : { type: 'words', words: content }
  }
  const { code, params = {}, amount = 0 } = details
  const key = params['reason'] ? `${code}_why` : code
  const name = BOOKINGS.find((one) => one === key)
  return name
    ? { type: 'booking', name, values: { ...params, amount } }
    : { type: 'words', words: content }
}

/** A family's name stands for all of its models; which one it was is at the end. */
const FAMILY = /，模型 (?<model>\S+)$/u

function factorsOf({ price, ...details }: LogDetails): readonly Factor[] {
  if (price?.by === 'call' || (details.model_price ?? -1) >= 0) {
    return given([
      ['call-price', price?.callPrice ?? details.model_price],
      ['group-ratio', price?.groupRatio ?? details.group_ratio],
    ])
  }
  return given([
    ['model-ratio', price?.modelRatio ?? details.model_ratio],
    ['completion-ratio', price?.completionRatio ?? details.completion_ratio],
    ['audio-ratio', details.audio ? price?.audioRatio : undefined],
    ['audio-completion-ratio', details.audio ? price?.audioCompletionRatio : undefined],
    ['group-ratio', price?.groupRatio ?? details.group_ratio],
  ])
}

const given = (
  all: readonly (readonly [FactorName, string | number | undefined])[],
): readonly Factor[] =>
  all.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: String(value) }]))

/** Why Tollgate itself did not serve a request, by the codes of its relay. */
const REFUSALS = [
  'insufficient_user_quota',
  'pre_consume_token_quota_failed',
  'quota_unavailable',
  'too_many_holds',
  'account_not_open',
  'user_banned',
  'invalid_api_key',
  'token_disabled',
  'token_expired',
  'token_exhausted',
  'ip_not_allowed',
  'group_not_allowed',
  'group_deprecated',
  'channel_not_allowed',
  'invalid_channel_id',
  'channel_disabled',
  'model_not_allowed',
  'model_not_found',
  'model_price_error',
  'no_available_channel',
  'get_playground_channel_failed',
  'rate_limit_exceeded',
  'sensitive_words_detected',
  'content_check_unavailable',
  'charge_not_durable',
  'server_stopping',
  'temporarily_unavailable',
  'client_closed_request',
  'upstream_forbidden',
] as const
export type RefusalCode = (typeof REFUSALS)[number]

/** Bookings by the codes of rows; `_why` with a reason. */
const BOOKINGS = [
  'sign_up_credited',
  'invitation_credited',
  'code_redeemed',
  'top_up_paid',
  'top_up_ordered',
  'quota_added',
  'quota_removed',
  'balance_edited',
  'balance_edited_why',
  'quota_refunded',
  'quota_refunded_why',
  'drawing_refunded',
  'task_refunded',
  'invitation_rewarded',
  'affiliate_transferred',
] as const
export type BookingName = (typeof BOOKINGS)[number] | 'channel_tested'
