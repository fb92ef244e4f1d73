import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { ProviderRequestDeps, Provider } from './provider.ts'

export const TELEGRAM: Provider = {
  kind: 'telegramId',
  option: 'TelegramOAuthEnabled',
  offText: '管理员未开启通过 Telegram 登录以及注册',
  takenText: '该 Telegram 账户已被绑定',
}

/** An older signature may have been lying about in some browser's history. */
const AGE_MAX_MS = 86_400_000
/** Clocks differ. */
const FUTURE_MAX_MS = 300_000

/**
 * The fields that Telegram's widget sends, the hash, and perhaps our state; a field that comes twice is not as it was
 * signed.
 */
export const telegramQuery = z.record(z.string(), z.unknown())

/** The signed text separates fields by line ends: a name with one could be read as further fields. */
const fieldText = z.string().regex(/^\P{Cc}*$/u)

/**
 * The names that Telegram signs (https://core.telegram.org/widgets/login#receiving-authorization-data, and `lang`). With
 * others allowed, one signature could be read as several sets of fields.
 */
const signed = z.strictObject({
  id: z.string().regex(/^[1-9]\d{0,18}$/),
  first_name: fieldText.optional(),
  last_name: fieldText.optional(),
  username: fieldText.optional(),
  photo_url: fieldText.optional(),
  auth_date: z.string().regex(/^\d{1,12}$/),
  lang: fieldText.optional(),
  hash: z.string().regex(/^[0-9a-f]{64}$/i),
})

/** The facts that Telegram's widget vouches for. */
export interface TelegramVoucher {
  /** A person's id with Telegram. */
  readonly id: string
  readonly signature: Uint8Array
  /** The moment from which its age refuses it by any clock, unix milliseconds. */
  readonly goodUntil: number
}

/**
 * The Telegram id that the bot's token vouches for, of the query that Telegram's login widget makes
 * (https://core.telegram.org/widgets/login#checking-authorization); null when it does not. The caller checks whether it
 * was used before.
 */
export function telegramVoucherIn(
  deps: Pick<ProviderRequestDeps, 'options' | 'clock'>,
  query: Readonly<Record<string, unknown>>,
): TelegramVoucher | null {
  const botToken = deps.options.secret('TelegramBotToken')
  const parsed = signed.safeParse(query)
  // Without a token anybody could make the hash.
  if (botToken === '' || !parsed.success) return null
  const { hash, ...fields } = parsed.data
  const checked = Object.entries(fields)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join('\n')
  const key = createHash('sha256').update(botToken).digest()
  const right = createHmac('sha256', key).update(checked).digest()
  if (!timingSafeEqual(right, Buffer.from(hash, 'hex'))) return null
  const signedAt = Number(fields.auth_date) * 1000
  const goodUntil = signedAt + AGE_MAX_MS
  const now = deps.clock.now()
  if (now > goodUntil || signedAt - now > FUTURE_MAX_MS) return null
  // As computed, not as sent: the same signature can be written in several ways.
  return { id: fields.id, signature: right, goodUntil: goodUntil + FUTURE_MAX_MS }
}
