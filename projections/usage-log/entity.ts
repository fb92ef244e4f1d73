import { withNote } from '@tollgate/domain/account/adjustment.ts'
import type { ClientTrace } from '@tollgate/domain/account/request-facts.ts'
import { charge, type ChargeExplanation } from '@tollgate/domain/pricing/charge.ts'
import { pricedName } from '@tollgate/domain/pricing/model-name.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import { findPrice, type PriceBook } from '@tollgate/domain/pricing/price-book.ts'
import {
  cachedTokens,
  cacheWriteTokens,
  NO_USAGE,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import { attemptsOf } from './attempts.ts'
import {
  type AmountDetail,
  CHANNEL_TEST,
  type ChargeDetail,
  CONSUMPTION,
  type Detail,
  type EditDetail,
  FAILURE,
  type FailureDetail,
  type LogRow,
} from './row.ts'

/** A log row on the wire: `logs` of console-api section 4, and what leads from it to the ledger. */
export interface LogEntity {
  readonly id: number
  readonly user_id: number
  readonly created_at: number
  readonly type: number
  readonly content: string
  readonly username: string
  readonly token_name: string
  readonly model_name: string
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly use_time: number
  readonly is_stream: boolean
  readonly channel: number
  readonly channel_name: string
  readonly token_id: number
  readonly group: string
  /** The channels that were tried, in order (`3->1`); '' for users, and where none was. */
  readonly retry: string
  /** JSON text, '' when there is nothing to say. */
  readonly other: string
  readonly request_id: string
  /** The event in the ledger that this row shows. */
  readonly event_id: string
}

/** Names for a row's numbers, and the prices of now for rows that charge nothing. */
export interface RowNames {
  readonly users: ReadonlyMap<number, string>
  readonly tokens: ReadonlyMap<number, string>
  readonly channels: ReadonlyMap<number, string>
  /** Administrators' words on adjustments. */
  readonly notes: ReadonlyMap<string, string>
  readonly prices: PriceBook
}

/** A row as an admin sees it. */
export function adminEntity(row: LogRow, names: RowNames): LogEntity {
  const detail = detailOf(row)
  return {
    id: row.id,
    user_id: row.user_id,
    created_at: row.created_at,
    type: row.type,
    content: contentOf(row, detail, names),
    username: names.users.get(row.user_id) ?? '',
    token_name: tokenName(row, names),
    model_name: pricedName(row.model),
    quota: row.quota,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    use_time: row.use_time,
    is_stream: row.is_stream,
    channel: row.channel,
    channel_name: names.channels.get(row.channel) ?? '',
    token_id: row.token_id,
    group: isChannelTest(row) ? TEST_GROUP : row.group_name,
    retry: pathOf(row, detail).join('->'),
    other: toldOther(row, detail, names) ?? '',
    request_id: row.request_id,
    event_id: row.event_id,
  }
}

/**
 * A row as its own user sees it: without channels, and with an id that tells nothing of others' traffic. Nothing to say
 * is the text `null` here (console-api 2.10).
 */
export function selfEntity(row: LogRow, names: RowNames): LogEntity {
  const detail = detailOf(row)
  return {
    ...adminEntity(row, names),
    id: row.id % 1024,
    channel_name: '',
    retry: '',
    other: toldOther(row, detail, names, ADMINS_ONLY) ?? 'null',
  }
}

/** `other` as JSON without these keys; null when there is nothing to say. */
function toldOther(
  row: LogRow,
  detail: ReadDetail | null,
  names: RowNames,
  hidden: readonly string[] = [],
): string | null {
  if (detail === null && !isChannelTest(row)) return null
  const other = detail === null ? otherOfTest(row, names) : otherOf(row, detail, names)
  return JSON.stringify(
    Object.fromEntries(Object.entries(other).filter(([key]) => !hidden.includes(key))),
  )
}

const isChannelTest = (row: LogRow): boolean => row.content === CHANNEL_TEST

/** Tests run in no group; readers expect one, and this one is always there. */
const TEST_GROUP = 'default'

/** The channels of a request, in the order in which they were tried. */
function pathOf(row: LogRow, detail: ReadDetail | null): readonly string[] {
  if (isChannelTest(row)) return [String(row.channel)]
  return detail !== null && 'path' in detail ? detail.path.map(String) : []
}

/** Members of `other` that tell of channels. */
const ADMINS_ONLY: readonly string[] = ['admin_info', 'channel_id', 'channel_name', 'channel_type']

/** A detail with what was left out of it put back. */
type ReadDetail = ReadCharge | FailureDetail | AmountDetail | EditDetail

export interface ReadCharge extends Omit<ChargeDetail, 'usage'> {
  readonly usage: Usage
  readonly price: Price
}

/** The detail of a row; null when it has none. */
export function detailOf(row: LogRow): ReadDetail | null {
  if (row.detail === '') return null
  const detail = JSON.parse(row.detail) as Detail
  if (!('usage' in detail)) return detail
  const price = JSON.parse(row.price) as Price
  return { ...detail, price, usage: { ...NO_USAGE, ...detail.usage } }
}

/** The text that a row shows as its token: a name, the playground or a channel test. */
export function tokenName(row: LogRow, names: RowNames): string {
  if (row.token_id > 0) return names.tokens.get(row.token_id) ?? ''
  if (row.type !== CONSUMPTION && row.type !== FAILURE) return ''
  // Only the playground and channel tests ask without a token.
  return isChannelTest(row) ? CHANNEL_TEST : PLAYGROUND + row.group_name
}

const PLAYGROUND = 'playground-'

/** The group whose rows without a token are shown by this token name ('' = channel tests); null = none are. */
export function tokenlessGroupOf(name: string): string | null {
  if (name === CHANNEL_TEST) return ''
  return name.startsWith(PLAYGROUND) && name !== PLAYGROUND ? name.slice(PLAYGROUND.length) : null
}

/** Consumption rows are stored without their text, which their prices say; texts of relay-and-billing 5.1. */
function contentOf(row: LogRow, detail: ReadDetail | null, names: RowNames): string {
  if (detail !== null && 'edit' in detail) return withNote(row.content, noteOf(detail, names))
  if (row.content !== '' || detail === null || !('usage' in detail)) return row.content
  const text = consumptionText(detail.price, hasAudio(detail.usage))
  // The row shows the family: which of its models it was stands here.
  return pricedName(row.model) === row.model ? text : `${text}，模型 ${row.model}`
}

/** The administrator's words on an edit; '' = none, or erased. */
const noteOf = ({ edit: { note } }: EditDetail, { notes }: RowNames): string =>
  note === null ? '' : (notes.get(note) ?? '')

/** The beginning of every text of consumption. */
export const CONSUMPTION_TEXT = '模型'

/** The text of a charge by its price (relay-and-billing 5.1). */
export function consumptionText(price: Price, hasAudio: boolean): string {
  if (price.by === 'call') {
    return `模型价格 ${fixed(price.callPrice)}，分组倍率 ${fixed(price.groupRatio)}`
  }
  const audio = hasAudio
    ? `音频倍率 ${fixed(price.audioRatio)}，音频补全倍率 ${fixed(price.audioCompletionRatio)}，`
    : ''
  return `模型倍率 ${fixed(price.modelRatio)}，补全倍率 ${fixed(price.completionRatio)}，${audio}分组倍率 ${fixed(price.groupRatio)}`
}

const fixed = (ratio: string): string => Number(ratio).toFixed(2)
const hasAudio = (usage: Usage): boolean => usage.audioIn > 0 || usage.audioOut > 0

type Other = Readonly<Record<string, unknown>>

function otherOf(row: LogRow, detail: ReadDetail, names: RowNames): Other {
  if ('usage' in detail) return otherOfCharge(row, detail)
  if ('errorType' in detail) return otherOfFailure(row, detail, names)
  if ('edit' in detail) {
    const { from, to, reasonCode } = detail.edit
    const reason = noteOf(detail, names)
    // Parts of the text, for a reader to say it in another language (decision 47).
    return { amount: detail.amount, reason, code: reasonCode, params: { from, to, reason } }
  }
  return { ...detail }
}

/** Keys of console-api 2.10 and relay-and-billing 5.1 and 10; `explanation` and what follows it are Tollgate's own. */
function otherOfCharge(row: LogRow, detail: ReadCharge): Other {
  const { price, usage } = detail
  return {
    ...ratios(price),
    frt: detail.firstByteMs ?? NO_FIRST_BYTE_MS,
    cache_tokens: cachedTokens(usage),
    ...cacheWriteKeys(price, usage, detail.endpoint === MESSAGES),
    ...audioKeys(price, usage),
    ...searchKeys(price, usage),
    ...(detail.reasoningEffort === undefined ? {} : { reasoning_effort: detail.reasoningEffort }),
    ...(isModelMapped(row, detail)
      ? { is_model_mapped: true, upstream_model_name: detail.upstreamModel }
      : {}),
    admin_info: { use_channel: pathOf(row, detail) },
    explanation: explain(price, usage),
    usage,
    price,
    endpoint: detail.endpoint,
    duration_ms: detail.durationMs,
    estimated: detail.estimated ?? false,
    cancelled: detail.cancelled ?? false,
    cut_short: detail.cutShort ?? false,
    ...(detail.thinkingLost === true && { thinking_lost: true }),
    late: detail.late ?? false,
    from_hold: row.quota - detail.fromWallet,
    from_wallet: detail.fromWallet,
    hold: detail.hold,
    sequence: detail.sequence,
    ...traceKeys(detail),
  }
}

const traceKeys = ({ clientRequestId, traceId }: ClientTrace): Other => ({
  ...(clientRequestId !== undefined && { client_request_id: clientRequestId }),
  ...(traceId !== undefined && { trace_id: traceId }),
})

/** As the wire has it where there was no first byte to measure, as without a stream. */
const NO_FIRST_BYTE_MS = -1000

/** Whether a channel mapped the model; an effort that was taken off its name (`o3-mini-high`) is no mapping. */
const isModelMapped = (row: LogRow, { upstreamModel, reasoningEffort = '' }: ReadCharge): boolean =>
  upstreamModel !== undefined && `${upstreamModel}-${reasoningEffort}` !== row.model

/** `other` of a channel test, at the prices of now: it charges nothing (decision 31), and its event has no price. */
function otherOfTest(row: LogRow, { prices }: RowNames): Other {
  const question = { model: row.model, group: TEST_GROUP, acceptsUnsetRatio: true }
  const found = findPrice(prices, question)
  return {
    ...(found.status === 'priced' ? ratios(found.price) : {}),
    frt: NO_FIRST_BYTE_MS,
    admin_info: { use_channel: pathOf(row, null) },
  }
}

function ratios(price: Price): Other {
  const groupRatio = Number(price.groupRatio)
  if (price.by === 'call') {
    // No ratio counts beside a price for the call; readers expect the keys.
    const none = { model_ratio: 0, completion_ratio: 0, cache_ratio: 0 }
    return { ...none, model_price: Number(price.callPrice), group_ratio: groupRatio }
  }
  return {
    model_ratio: Number(price.modelRatio),
    group_ratio: groupRatio,
    completion_ratio: Number(price.completionRatio),
    cache_ratio: Number(price.cacheRatio),
    model_price: -1,
  }
}

/** The address of Anthropic's clients, whose rows always tell what was written to a cache (relay-and-billing 5.1). */
const MESSAGES = '/v1/messages'

function cacheWriteKeys(price: Price, usage: Usage, isClaude: boolean): Other {
  const written = cacheWriteTokens(usage)
  if (price.by !== 'tokens') return isClaude ? { claude: true, cache_creation_tokens: written } : {}
  if (written === 0 && !isClaude) return {}
  const { cacheWrite1hIn } = usage
  return {
    ...(isClaude && { claude: true }),
    cache_creation_tokens: written,
    cache_creation_ratio: Number(price.cacheWriteRatio),
    ...(cacheWrite1hIn !== undefined && {
      cache_creation_tokens_1h: cacheWrite1hIn,
      cache_creation_ratio_1h: Number(price.cacheWrite1hRatio ?? price.cacheWriteRatio),
    }),
  }
}

function audioKeys(price: Price, usage: Usage): Other {
  if (price.by !== 'tokens' || !hasAudio(usage)) return {}
  return {
    audio: true,
    audio_input: usage.audioIn,
    audio_output: usage.audioOut,
    text_input: usage.textIn,
    text_output: usage.textOut,
    audio_ratio: Number(price.audioRatio),
    audio_completion_ratio: Number(price.audioCompletionRatio),
  }
}

function searchKeys(price: Price, usage: Usage): Other {
  if (price.by !== 'tokens') return {}
  return {
    ...(usage.webSearchCalls > 0
      ? {
          web_search: true,
          web_search_call_count: usage.webSearchCalls,
          web_search_price: Number(price.webSearchPrice ?? 0),
        }
      : {}),
    ...(usage.fileSearchCalls > 0
      ? {
          file_search: true,
          file_search_call_count: usage.fileSearchCalls,
          file_search_price: Number(price.fileSearchPrice ?? 0),
        }
      : {}),
  }
}

/** The charge worked out again from its inputs, line by line; null when they do not allow it. */
export function explain(price: Price, usage: Usage): ChargeExplanation | null {
  try {
    return charge(price, usage).explanation
  } catch (error) {
    // A price that an older version wrote may lack what this one reads: the row is shown without its lines.
    if (error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError)
      return null
    throw error
  }
}

const otherOfFailure = (row: LogRow, detail: FailureDetail, names: RowNames): Other => ({
  error_type: detail.errorType,
  error_code: detail.errorCode,
  status_code: detail.status,
  frt: detail.firstByteMs ?? NO_FIRST_BYTE_MS,
  duration_ms: detail.durationMs,
  ...(detail.suppressed === undefined ? {} : { suppressed: detail.suppressed }),
  ...traceKeys(detail),
  channel_id: row.channel,
  channel_name: names.channels.get(row.channel) ?? '',
  channel_type: detail.channelType ?? 0,
  admin_info: {
    use_channel: pathOf(row, detail),
    ...(detail.attempts && { attempts: attemptsOf(detail, names.channels) }),
  },
})
