import type { Log } from '../../core/contract.ts'
import type { FactorName, LogDetails } from './log-details.ts'
import { CHANNEL_TEST, isOwnRefusal } from './log-details.ts'

/** What a row is about, as the name of a text and its values; amounts of its own are quota, `amount` is in the details. */
export type Sentence =
  | { readonly type: 'factors'; readonly factors: readonly Factor[]; readonly model: string }
  | { readonly type: 'refusal'; readonly code: RefusalCode }
  | {
      readonly type: 'booking'
      readonly name: BookingName
      readonly values: Readonly<Record<string, string>>
    }
  | {
      readonly type: 'edit'
      readonly name: 'edited' | 'editedWhy'
      /** In quota. */
      readonly from: number
      readonly to: number
      readonly reason: string
    }
  | { readonly type: 'words'; readonly words: string }

interface Factor {
  readonly name: FactorName
  /** Exact. */
  readonly value: string
}

/** What a row says. Its `content` is Chinese and rounds ratios: it is for clients of the API. */
export function sentenceOf(log: Log, details: LogDetails): Sentence {
  const { content } = log
  if (content === CHANNEL_TEST) return { type: 'booking', name: 'channelTest', values: {} }
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
  const { code, params } = details
  if (code === 'balance_edited' && params) {
    return { type: 'edit', name: params.reason === '' ? 'edited' : 'editedWhy', ...params }
  }
  return bookingOf(content) ?? { type: 'words', words: content }
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

/** The contract's texts of what was booked, by their fixed words. */
const BOOKINGS = {
  signUp: /^新用户注册赠送 /u,
  invited: /^使用邀请码赠送 /u,
  redeemed: /^通过兑换码充值 .*，兑换码ID (?<id>\d+)$/u,
  toppedUp: /^使用在线充值成功，充值金额: .*，支付金额：(?<paid>[\d.]+)$/u,
  toppedUpOrder: /^使用在线充值成功，充值金额: .*，订单号：(?<order>.+)$/u,
  granted: /^管理员增加用户额度 /u,
  taken: /^管理员减少用户额度 /u,
  editedWhy: /^管理员将用户额度从 (?<from>.+?)额度\s*修改为 (?<to>.+?)额度，原因：(?<reason>.+)$/su,
  edited: /^管理员将用户额度从 (?<from>.+?)额度\s*修改为 (?<to>.+?)额度$/u,
  drawingRefunded: /^构图失败 (?<task>\S+)，补偿 /u,
  taskRefunded: /^异步任务执行失败 (?<task>\S+)，补偿 /u,
  refundedWhy: /^补偿 .*，原因：(?<reason>.+)$/su,
  refunded: /^补偿 /u,
  rewarded: /^邀请用户赠送 /u,
  transferred: /^邀请额度划转 /u,
} as const
export type BookingName = keyof typeof BOOKINGS | 'channelTest'

function bookingOf(content: string): Sentence | null {
  for (const [name, pattern] of Object.entries(BOOKINGS)) {
    const found = pattern.exec(content)
    if (!found) continue
    const values = Object.entries(found.groups ?? {}).map(([key, value]) => [key, tidy(value)])
    return {
      type: 'booking',
      name: name as BookingName,
      values: Object.fromEntries(values) as Record<string, string>,
    }
  }
  return null
}

/** Amounts are written with a full-width sign and their unit. */
const tidy = (value: string): string =>
  value
    .replace('＄', '$')
    .replace(/\s*点\s*$/u, '')
    .trim()
