import type { Token } from '../../core/contract.ts'
import type { Refusals } from '../../parts/form/form-values.ts'
import type { QuotaUnit } from '../../parts/quota-format.ts'
import { amountText } from '../../parts/amount.ts'
import { parseQuota } from '../../parts/quota-format.ts'
import { readMoment, momentText } from '../../parts/time-format.ts'

/** The drawer's fields while it is edited; amounts and times are the texts that were typed. */
export interface TokenForm {
  readonly name: string
  readonly count: string
  readonly isUnlimited: boolean
  readonly remain: string
  /** As `readMoment` reads it; empty means never. */
  readonly expiry: string
  readonly isModelLimited: boolean
  readonly models: readonly string[]
  readonly allowIps: string
  readonly group: string
}

/** The fields that can be wrong, each with the name of its message. */
export type TokenErrors = Partial<
  Record<
    'name' | 'count' | 'remain' | 'expiry',
    'required' | 'long' | 'count' | 'amount' | 'expiry'
  >
>

/** Refusals of the server that are about one field. */
export const TOKEN_REFUSALS: Refusals<TokenForm> = {
  token_name_too_long: 'name',
  token_name_hidden_characters: 'name',
  group_unknown: 'group',
  address_list_invalid: 'allowIps',
  address_list_too_long: 'allowIps',
  too_many_addresses: 'allowIps',
}

/** Expiries offered with one click, in seconds from now. */
export const EXPIRY_PRESETS = { hour: 3600, day: 86_400, month: 30 * 86_400 } as const
/** How many tokens can be made at once. */
export const BATCH_COUNTS = ['1', '10', '20', '30', '100']
/** Greatest length of a name, in characters (console API, section 7). */
const NAME_LENGTH_MAX = 30

/** The quota of a new token unless it stays unlimited (seeds, section 9). */
const NEW_TOKEN_QUOTA = 500_000

/** The form of a new token: unlimited, never expiring, any model; its amount in the unit on show. */
export const newToken = (unit: QuotaUnit, quotaPerUnit: number): TokenForm => ({
  name: '',
  count: '1',
  isUnlimited: true,
  remain: amountText(NEW_TOKEN_QUOTA, unit, quotaPerUnit),
  expiry: '',
  isModelLimited: false,
  models: [],
  allowIps: '',
  group: '',
})

/** The form of an existing token, its amount in the unit on show. */
export function formOf(token: Token, unit: QuotaUnit, quotaPerUnit: number): TokenForm {
  return {
    name: token.name,
    count: '1',
    isUnlimited: token.unlimited_quota,
    remain: amountText(token.remain_quota, unit, quotaPerUnit),
    expiry: token.expired_time > 0 ? momentText(token.expired_time) : '',
    isModelLimited: token.model_limits_enabled,
    models: token.model_limits.split(',').filter(Boolean),
    allowIps: token.allow_ips ?? '',
    group: token.group,
  }
}

/** Checks the form by the rules of the seeds. */
export function tokenErrors(form: TokenForm, unit: QuotaUnit, quotaPerUnit: number): TokenErrors {
  const remain = parseQuota(form.remain, unit, quotaPerUnit)
  const isAmountWrong = !form.isUnlimited && (remain === null || remain < 0)
  const isExpiryWrong = form.expiry !== '' && readMoment(form.expiry) === null
  return {
    ...(form.name.trim() === '' ? { name: 'required' as const } : {}),
    ...(Array.from(form.name.trim()).length > NAME_LENGTH_MAX ? { name: 'long' as const } : {}),
    ...(/^[1-9]\d*$/.test(form.count) ? {} : { count: 'count' as const }),
    ...(isAmountWrong ? { remain: 'amount' as const } : {}),
    ...(isExpiryWrong ? { expiry: 'expiry' as const } : {}),
  }
}

/** The body of POST and PUT /api/token/. Call it only with a form without errors. */
export function tokenPayload(form: TokenForm, unit: QuotaUnit, quotaPerUnit: number) {
  return {
    name: form.name.trim(),
    expired_time: readMoment(form.expiry) ?? -1,
    remain_quota: parseQuota(form.remain, unit, quotaPerUnit) ?? 0,
    unlimited_quota: form.isUnlimited,
    model_limits_enabled: form.isModelLimited,
    model_limits: form.models.join(','),
    allow_ips: form.allowIps.trim(),
    group: form.group,
  }
}

/**
 * The names of a batch: the first as typed, the others with six random letters or digits (seeds, section 9).
 * `randomByte` gives 0 to 255.
 */
export function batchNames(name: string, count: number, randomByte: () => number): string[] {
  const suffix = () =>
    Array.from({ length: 6 }, () => ALPHABET[randomByte() % ALPHABET.length]).join('')
  return Array.from({ length: count }, (_, index) => (index === 0 ? name : `${name}-${suffix()}`))
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
