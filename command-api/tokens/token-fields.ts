import ipaddr from 'ipaddr.js'
import { QUOTA_MAX } from '@tollgate/domain/account/limits.ts'
import type { TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import { hiddenNameProblem } from '@tollgate/domain/text.ts'
import { flag, int, text } from '../http/body.ts'
import { quotaProblem } from '../http/quota-bounds.ts'

const EXPIRY_INVALID = '过期时间格式错误！'

const NAME_CHARACTERS_MAX = 30
const GROUP_CHARACTERS_MAX = 64
/** A long list of models or addresses would crowd the account's other tokens out. */
const MODELS_MAX = 200
const MODEL_BYTES_MAX = 255
const MODEL_LIST_BYTES_MAX = 16_384
const ADDRESSES_MAX = 200
const ADDRESS_LIST_CHARACTERS_MAX = 10_000
/** The longest that an address or range can be. */
const WRONG_CHARACTERS_SHOWN = 49
/** The end of the year 9999, as far as dates are understood everywhere. */
const EXPIRY_SECONDS_MAX = 253_402_300_799

/** The fields that a token's form sends (console-api 2.8); times in unix seconds, −1 = never. */
export const TOKEN_FIELDS = {
  name: text().meta({
    description: 'Name by which its owner and the log know the token',
    minLength: 1,
    maxLength: NAME_CHARACTERS_MAX,
  }),
  expired_time: int(EXPIRY_INVALID).meta({
    description: 'When the token stops working, in unix seconds; 0 and -1 = never',
    maximum: EXPIRY_SECONDS_MAX,
  }),
  remain_quota: int().meta({
    description: 'Quota that the token may still spend; without effect while it is unlimited',
    minimum: 0,
    maximum: QUOTA_MAX,
  }),
  unlimited_quota: flag().describe(
    'Whether the token may spend all of its owner’s balance; default false',
  ),
  model_limits_enabled: flag().describe(
    'Whether the token may call the models of model_limits alone; default false',
  ),
  model_limits: text().describe(
    `Models that the token may call, joined by commas, at most ${MODELS_MAX}; kept also while it does not limit`,
  ),
  allow_ips: text().meta({
    description: `Addresses and CIDR ranges that may use the token, one a line, at most ${ADDRESSES_MAX}; empty = all`,
    maxLength: ADDRESS_LIST_CHARACTERS_MAX,
  }),
  group: text().meta({
    description: 'Group whose channels and ratio the token uses; empty = its owner’s group',
    maxLength: GROUP_CHARACTERS_MAX,
  }),
} as const

export interface TokenFields {
  readonly name: string
  readonly expired_time: number
  readonly remain_quota: number
  readonly unlimited_quota: boolean
  readonly model_limits_enabled: boolean
  readonly model_limits: string
  readonly allow_ips: string
  readonly group: string
}

/** The form's fields in the domain's words, or their problem. */
export type ReadTokenFields =
  | ({ readonly status: 'fit' } & TokenForm)
  | { readonly status: 'unfit'; readonly message: string }

export interface TokenForm {
  readonly name: string
  readonly remain: Quota
  /** As listed, whether or not the list limits; the terms have it when it does. */
  readonly modelList: readonly string[]
  readonly terms: Omit<TokenTerms, 'allowedIps'>
  /** Addresses and CIDR ranges; empty = all. */
  readonly allowedAddresses: readonly string[]
}

/** Checks and translates a token's form, in the order in which its messages are to appear. */
export function readTokenFields(fields: TokenFields): ReadTokenFields {
  if (Array.from(fields.name).length > NAME_CHARACTERS_MAX) return invalid('令牌名称过长')
  if (fields.name.trim() === '') return invalid('令牌名称不能为空')
  const hidden =
    hiddenNameProblem('令牌名称', fields.name) ?? hiddenNameProblem('分组名称', fields.group)
  if (hidden !== null) return invalid(hidden)
  if (fields.expired_time > EXPIRY_SECONDS_MAX) return invalid(EXPIRY_INVALID)
  const quotaRefusal = quotaProblem('令牌额度', fields.remain_quota)
  if (quotaRefusal !== null) return invalid(quotaRefusal)
  if (Array.from(fields.group).length > GROUP_CHARACTERS_MAX) return invalid('分组名称过长')
  const models = entries(fields.model_limits, ',')
  const modelsRefusal = modelsProblem(fields.model_limits, models)
  if (modelsRefusal !== null) return invalid(modelsRefusal)
  if (fields.allow_ips.length > ADDRESS_LIST_CHARACTERS_MAX) return invalid('IP 白名单过长')
  const allowedAddresses = entries(fields.allow_ips, '\n')
  if (allowedAddresses.length > ADDRESSES_MAX) return invalid(`IP 白名单最多 ${ADDRESSES_MAX} 条`)
  const wrong = allowedAddresses.find((entry) => !isAddressOrRange(entry))
  if (wrong !== undefined) {
    return invalid(
      `IP 白名单中有无效的地址或网段：${wrong.slice(0, WRONG_CHARACTERS_SHOWN)}（每行一个，例如 192.0.2.1 或 10.0.0.0/8）`,
    )
  }
  return {
    status: 'fit',
    name: fields.name,
    remain: quota(fields.remain_quota),
    modelList: models,
    terms: {
      unlimited: fields.unlimited_quota,
      // Absent means never, as when the token is made.
      expiresAt: fields.expired_time <= 0 ? null : fields.expired_time * 1000,
      group: fields.group,
      models: fields.model_limits_enabled ? models : null,
    },
    allowedAddresses,
  }
}

const invalid = (message: string): ReadTokenFields => ({ status: 'unfit', message })

function modelsProblem(list: string, models: readonly string[]): string | null {
  if (Buffer.byteLength(list) > MODEL_LIST_BYTES_MAX) return '模型限制列表过长'
  if (models.length > MODELS_MAX) return `模型限制最多 ${MODELS_MAX} 个模型`
  const long = models.find((model) => Buffer.byteLength(model) > MODEL_BYTES_MAX)
  return long === undefined
    ? null
    : `模型限制中的模型名称过长（最多 ${MODEL_BYTES_MAX} 字节）：${long.slice(0, NAME_CHARACTERS_MAX)}…`
}

const entries = (list: string, separator: string): readonly string[] =>
  [...new Set(list.split(separator).map((entry) => entry.trim()))].filter((entry) => entry !== '')

/** Without a zone (`%eth0`): which card a client comes in by is no part of who they are, and ipaddr takes any text there. */
const isAddressOrRange = (entry: string): boolean =>
  !entry.includes('%') &&
  (ipaddr.IPv4.isValidFourPartDecimal(entry) ||
    ipaddr.IPv6.isValid(entry) ||
    ipaddr.IPv4.isValidCIDRFourPartDecimal(entry) ||
    ipaddr.IPv6.isValidCIDR(entry))
