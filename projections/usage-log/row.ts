import { hash } from 'node:crypto'
import {
  type Adjusted,
  adjustmentText,
  type BalanceEdit,
  balanceEditOf,
  withNote,
} from '@tollgate/domain/account/adjustment.ts'
import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { Attempt, ClientTrace } from '@tollgate/domain/account/request-facts.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import { completionTokens, promptTokens, type Usage } from '@tollgate/domain/pricing/usage.ts'
import { quotaText } from '@tollgate/domain/quota-text.ts'
import { type RefundedTask, refundReason } from '@tollgate/domain/task/refund.ts'
import { readPayment } from '@tollgate/domain/top-up/payment.ts'
import { sql } from 'slonik'
import { z } from 'zod'
import { keyText } from '../runner/columns.ts'
import type { ProjectedEvent, Recorded } from '../runner/projected-events.ts'
import type { LogSettings } from './settings.ts'

/** Kinds of log row (seeds: Log type). */
export const TOP_UP = 1
export const CONSUMPTION = 2
export const MANAGEMENT = 3
export const SYSTEM = 4
export const FAILURE = 5

export const loggedEventTypes = [
  'QuotaCredited',
  'QuotaDebited',
  'UsageCharged',
  'UsageRefunded',
  'AffiliateRewardEarned',
  'AffiliateQuotaTransferred',
  'ChannelTested',
  'RequestFailed',
] as const

export type LoggedEvent = Recorded<
  Extract<ProjectedEvent, { type: (typeof loggedEventTypes)[number] }>
>

/**
 * A row of `usage_log.rows` with its price. `id` is the event's position: newest first is log order, and a rebuild keeps
 * ids. The test of a channel that is no event has an id above all positions (channel-tests.ts).
 */
export const logRow = z.object({
  id: z.number(),
  event_id: z.string(),
  /** Unix seconds. */
  created_at: z.number(),
  type: z.number(),
  user_id: z.number(),
  token_id: z.number(),
  channel: z.number(),
  model: z.string(),
  group_name: z.string(),
  quota: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Whole seconds. */
  use_time: z.number(),
  is_stream: z.boolean(),
  request_id: z.string(),
  content: z.string(),
  /** The key of `price`; 0 = none. */
  price_key: z.number(),
  /** JSON of a Price, or ''. */
  price: z.string(),
  /** JSON of a Detail, or ''. */
  detail: z.string(),
})
export type LogRow = Readonly<z.output<typeof logRow>>

/** The facts from which `other` and the text of a consumption row are made when it is read; see entity.ts. */
export type Detail = ChargeDetail | FailureDetail | AmountDetail | EditDetail

/**
 * The facts of a charge that neither other columns nor its price have; usual ones are left out, as there are millions.
 */
export interface ChargeDetail extends ClientTrace {
  /** Only the kinds that were used. */
  readonly usage: Partial<Usage>
  readonly endpoint: string
  readonly firstByteMs: number | null
  readonly durationMs: number
  readonly path: readonly number[]
  /** Absent: the only one answered, or no more than their channels was noted. */
  readonly attempts?: readonly NotedAttempt[]
  /** Facts that upstream told, without its usage; absent: nothing. */
  readonly upstream?: Partial<Record<ToldName, string>>
  readonly hold: string
  readonly sequence: number
  readonly fromWallet: number
  /** Absent: the model that the client named. */
  readonly upstreamModel?: string
  readonly reasoningEffort?: string
  readonly estimated?: true
  readonly cancelled?: true
  readonly cutShort?: true
  /** Thinking was off: the thoughts behind the last calls of tools were lost. */
  readonly thinkingLost?: true
  readonly late?: true
}

/** How an attempt on one of the channels of `path` ended. */
export type NotedAttempt = Omit<Attempt, 'channel' | 'usage'>

/** The facts that upstream told which a row has. */
const TOLD = ['requestId', 'responseId', 'model', 'serviceTier', 'speed', 'region'] as const
type ToldName = (typeof TOLD)[number]

export interface FailureDetail extends ClientTrace {
  readonly status: number
  readonly errorType: string
  readonly errorCode: string
  /** Absent: not noted, as in rows from before it was, or no channel was tried. */
  readonly channelType?: number
  readonly path: readonly number[]
  /** As a charge's, also of a single one. */
  readonly attempts?: readonly NotedAttempt[]
  /** Absent: no stream had begun, or it was not noted. */
  readonly firstByteMs?: number
  readonly durationMs: number
  /** Failures that this row stands for besides its own; absent: none. */
  readonly suppressed?: number
}

/** The detail of credits, debits and refunds, whose rows have quota 0. */
export interface AmountDetail {
  readonly amount: number
  readonly reason: string
  /**
   * The booking in the row, for a reader to say it in another language (decision 47); absent: the old text of an edit.
   */
  readonly code?: BookingCode
  readonly params?: Readonly<Record<string, string>>
}

export type BookingCode =
  | 'sign_up_credited'
  | 'invitation_credited'
  | 'code_redeemed'
  | 'top_up_paid'
  | 'top_up_ordered'
  | 'quota_added'
  | 'quota_removed'
  | 'quota_refunded'
  | 'drawing_refunded'
  | 'task_refunded'
  | 'invitation_rewarded'
  | 'affiliate_transferred'

/** The detail of an edit of a balance: its facts in place of a reason. */
export interface EditDetail {
  readonly amount: number
  readonly edit: BalanceEdit
}

/** Token name and text of a channel test's row. */
export const CHANNEL_TEST = '模型测试'
/** Tests that nobody asked for stand in the log of the first user (console-api 2.7). */
const TESTS_BY_ITSELF = 1

/** The log row of an event; null when it leaves none. */
export function rowOf(event: LoggedEvent, settings: LogSettings): LogRow | null {
  const row = emptyRow(event)
  switch (event.type) {
    case 'UsageCharged':
      return settings.logsConsumption ? { ...row, ...charged(event.data) } : null
    case 'RequestFailed':
      return { ...row, ...failed(event.data) }
    case 'ChannelTested': {
      const { succeeded, testedBy, model, promptTokens, completionTokens, durationMs } = event.data
      if (!succeeded || !settings.logsConsumption) return null
      return {
        ...row,
        type: CONSUMPTION,
        user_id: testedBy ?? TESTS_BY_ITSELF,
        channel: numberOfStream(event.stream),
        model: keyText(model),
        prompt_tokens: promptTokens ?? 0,
        completion_tokens: completionTokens ?? 0,
        use_time: Math.round(durationMs / 1000),
        content: CHANNEL_TEST,
      }
    }
    case 'QuotaCredited': {
      const { amount, source, reason } = event.data
      return source === 'grant'
        ? { ...row, ...adjusted({ ...event.data, isCredit: true }, settings) }
        : { ...row, ...booked(amount, reason, credited({ ...event.data, source }, settings)) }
    }
    case 'QuotaDebited':
      return { ...row, ...adjusted({ ...event.data, isCredit: false }, settings) }
    case 'UsageRefunded': {
      const { amount, request, token, failed } = event.data
      const reason = failed === undefined ? event.data.reason : refundReason(failed)
      const content = `${reason}，补偿 ${quotaText(amount, settings)}`
      return {
        ...row,
        ...booked(amount, reason, { type: SYSTEM, content, ...refunded(reason, failed) }),
        token_id: token ?? 0,
        request_id: keyText(request),
      }
    }
    case 'AffiliateRewardEarned': {
      const { amount } = event.data
      const content = `邀请用户赠送 ${quotaText(amount, settings)}`
      return {
        ...row,
        ...booked(amount, '', { type: SYSTEM, content, code: 'invitation_rewarded' }),
      }
    }
    case 'AffiliateQuotaTransferred': {
      const { amount } = event.data
      const content = `邀请额度划转 ${quotaText(amount, settings)}`
      return {
        ...row,
        ...booked(amount, '', { type: TOP_UP, content, code: 'affiliate_transferred' }),
      }
    }
    default:
      return event satisfies never
  }
}

const emptyRow = (event: LoggedEvent): LogRow => ({
  id: event.position,
  event_id: event.id,
  created_at: Math.floor(event.data.at / 1000),
  type: SYSTEM,
  user_id: event.type === 'RequestFailed' ? event.data.account : numberOfStream(event.stream),
  token_id: 0,
  channel: 0,
  model: '',
  group_name: '',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  is_stream: false,
  request_id: '',
  content: '',
  price_key: 0,
  price: '',
  detail: '',
})

function charged(data: Extract<LoggedEvent, { type: 'UsageCharged' }>['data']): Partial<LogRow> {
  const { request, amount, token } = data
  const price = JSON.stringify(request.price)
  return {
    type: CONSUMPTION,
    token_id: token ?? 0,
    channel: request.channel,
    model: keyText(request.model),
    group_name: keyText(request.group),
    quota: amount,
    prompt_tokens: promptTokens(request.usage),
    completion_tokens: completionTokens(request.usage),
    use_time: Math.floor(request.durationMs / 1000),
    is_stream: request.stream,
    request_id: keyText(request.id),
    price,
    price_key: priceKey(price),
    detail: JSON.stringify(chargeDetail(data)),
  }
}

function chargeDetail(data: Extract<LoggedEvent, { type: 'UsageCharged' }>['data']): ChargeDetail {
  const { request, hold, sequence, fromWallet, late } = data
  const { endpoint, firstByteMs, durationMs, attempts, model, upstreamModel, reasoningEffort } =
    request
  return {
    usage: Object.fromEntries(Object.entries(request.usage).filter(([, count]) => count !== 0)),
    endpoint,
    firstByteMs,
    durationMs,
    ...pathOf(attempts, 2),
    ...told(request),
    hold,
    sequence,
    fromWallet,
    ...(upstreamModel === model ? {} : { upstreamModel }),
    ...(reasoningEffort === null ? {} : { reasoningEffort }),
    ...(request.estimated ? { estimated: true } : {}),
    ...(request.cancelled ? { cancelled: true } : {}),
    ...(request.cutShort ? { cutShort: true } : {}),
    ...(request.thinkingLost === true ? { thinkingLost: true } : {}),
    ...(late ? { late: true } : {}),
    ...traceOf(request),
  }
}

/** The channels tried; how that ended, where it was noted of at least so many. */
function pathOf(
  attempts: readonly Attempt[],
  least: number,
): Pick<ChargeDetail, 'path' | 'attempts'> {
  const isTold = attempts.length >= least && attempts.some(({ startedAt }) => startedAt !== null)
  const path = attempts.map(({ channel }) => channel)
  return isTold ? { path, attempts: attempts.map(noted) } : { path }
}

const noted = ({ startedAt, ms, status, code, why }: Attempt): NotedAttempt => ({
  startedAt,
  ms,
  status,
  code,
  why,
})

/** The model is what was asked for as a rule. */
function told({ upstream, upstreamModel }: ChargedUsage): Pick<ChargeDetail, 'upstream'> {
  const facts = TOLD.flatMap((name) => {
    const value = upstream[name]
    return value === null || (name === 'model' && value === upstreamModel) ? [] : [[name, value]]
  })
  return facts.length === 0 ? {} : { upstream: Object.fromEntries(facts) }
}

/** Keys of the prices met last; what falls out is worked out again. */
const priceKeys = new Map<string, number>()
const PRICE_KEYS_MOST = 1_000
const KEY_HEX_DIGITS = 13

/** A number that stands for the text of a price: the same in every rebuild, as it is made of the text alone. */
function priceKey(price: string): number {
  const known = priceKeys.get(price)
  if (known !== undefined) return known
  if (priceKeys.size >= PRICE_KEYS_MOST) priceKeys.clear()
  const key = Number.parseInt(hash('sha256', price).slice(0, KEY_HEX_DIGITS), 16)
  priceKeys.set(price, key)
  return key
}

const traceOf = ({ clientRequestId, traceId }: ClientTrace): ClientTrace => ({
  ...(clientRequestId !== undefined && { clientRequestId }),
  ...(traceId !== undefined && { traceId }),
})

function failed(data: Extract<LoggedEvent, { type: 'RequestFailed' }>['data']): Partial<LogRow> {
  const { status, errorType, errorCode, channelType, attempts, durationMs, suppressed } = data
  const { firstByteMs } = data
  const detail: FailureDetail = {
    status,
    errorType,
    errorCode,
    // Facts that are not noted leave the row as it was made before there was anything to note.
    ...(channelType !== null && { channelType }),
    ...pathOf(attempts, 1),
    ...(firstByteMs !== null && { firstByteMs }),
    durationMs,
    ...(suppressed > 0 && { suppressed }),
    ...traceOf(data),
  }
  return {
    type: FAILURE,
    token_id: data.token ?? 0,
    channel: data.channel ?? 0,
    model: keyText(data.model),
    group_name: keyText(data.group),
    use_time: Math.floor(durationMs / 1000),
    is_stream: data.stream,
    request_id: keyText(data.request),
    content: data.message,
    detail: JSON.stringify(detail),
  }
}

/** Without the administrator's words, which are put in when the row is read: they can be erased. */
function adjusted(
  change: Adjusted,
  settings: LogSettings,
): Pick<LogRow, 'type' | 'content' | 'detail'> {
  const { amount, adjustment, isCredit } = change
  const said = { type: MANAGEMENT, content: adjustmentText(change, settings) }
  const edit = balanceEditOf(adjustment)
  if (edit !== null) {
    const detail: EditDetail = { amount, edit }
    return { ...said, detail: JSON.stringify(detail) }
  }
  return adjustment !== undefined && 'legacyText' in adjustment
    ? booked(amount, adjustment.legacyText, said)
    : booked(amount, '', { ...said, code: isCredit ? 'quota_added' : 'quota_removed' })
}

/** The booking in a row of an amount: the contract's text, and the parts that it is made of. */
type Booking = Pick<LogRow, 'type' | 'content'> & Pick<AmountDetail, 'code' | 'params'>

function booked(
  amount: number,
  reason: string,
  { type, content, ...facts }: Booking,
): Pick<LogRow, 'type' | 'content' | 'detail'> {
  const detail: AmountDetail = { amount, reason, ...facts }
  return { type, content, detail: JSON.stringify(detail) }
}

type Credit = Extract<LoggedEvent, { type: 'QuotaCredited' }>['data']

/** Texts of relay-and-billing 5.1; the rest follows their manner. */
function credited(
  data: Pick<Credit, 'amount' | 'reason'> & { readonly source: Exclude<Credit['source'], 'grant'> },
  settings: LogSettings,
): Booking {
  const amount = quotaText(data.amount, settings)
  const { reason } = data
  switch (data.source) {
    case 'sign-up':
      return { type: SYSTEM, content: `新用户注册赠送 ${amount}`, code: 'sign_up_credited' }
    case 'invitation':
      return { type: SYSTEM, content: `使用邀请码赠送 ${amount}`, code: 'invitation_credited' }
    case 'redemption': {
      const content = `通过兑换码充值 ${amount}，兑换码ID ${reason}`
      return { type: TOP_UP, content, code: 'code_redeemed', params: { id: reason } }
    }
    case 'top-up': {
      const { text, ...facts } = paid(reason)
      return { type: TOP_UP, content: `使用在线充值成功，充值金额: ${amount}，${text}`, ...facts }
    }
    case 'refund':
      return { type: SYSTEM, content: withNote(`补偿 ${amount}`, reason), ...refunded(reason) }
    default:
      return data.source satisfies never
  }
}

/**
 * The order and the money paid in the reason of an online top-up's credit; the text has the money with six decimals.
 */
function paid(reason: string): Pick<Booking, 'code' | 'params'> & { readonly text: string } {
  const payment = readPayment(reason)
  if (payment === null) {
    return { text: `订单号：${reason}`, code: 'top_up_ordered', params: { order: reason } }
  }
  const { order, money } = payment
  const [whole = '', cents = ''] = money.split('.')
  const text = `支付金额：${whole}.${cents.padEnd(6, '0')}`
  return { text, code: 'top_up_paid', params: { order, paid: money } }
}

function refunded(reason: string, failed?: RefundedTask): Pick<Booking, 'code' | 'params'> {
  if (failed === undefined) return { code: 'quota_refunded', params: { reason } }
  const { platform, task } = failed
  return { code: platform === 'mj' ? 'drawing_refunded' : 'task_refunded', params: { task } }
}

/**
 * How many failures a row stands for besides its own, as SQL over `rows`: they are few, and all that is kept of them is
 * in the detail.
 */
export const SUPPRESSED = sql.fragment`case when type = ${sql.literalValue(String(FAILURE))} and detail like '%"suppressed":%'
  then coalesce((detail::jsonb ->> 'suppressed')::bigint, 0) else 0 end`

/** The same of a row that has been made. */
export function suppressedIn({ type, detail }: Pick<LogRow, 'type' | 'detail'>): number {
  if (type !== FAILURE || !detail.includes('"suppressed":')) return 0
  return (JSON.parse(detail) as FailureDetail).suppressed ?? 0
}
