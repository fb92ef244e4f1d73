import { isIP } from 'node:net'
import { type ApiRoute, callerOf, failure, route } from '../http-contract/api-route.ts'
import type { Language } from '../http-contract/language.ts'
import { z } from 'zod'
import { flag, float, lenientBody, optional, text } from '../http/body.ts'
import { isEmailAddress } from '../identity/email/email-address.ts'
import type { UserChange, UserStore } from '../identity/users.ts'
import { isHttpsAddress } from '../notifications/send-webhook.ts'
import type { Vault } from '../secrets/vault.ts'
import { storedLanguage } from './user-setting.ts'

export interface SettingRouteDeps {
  readonly users: Pick<UserStore, 'byId' | 'update'>
  readonly vault: Vault
  /** Whether notices may be sent to an IP address (as text). */
  readonly mayReach: (ip: string) => boolean
}

/**
 * A user's setting: how a notice of a low balance reaches them, and whether models without a price may be called
 * (console-api 2.4).
 */
export const settingRoute = (deps: SettingRouteDeps): ApiRoute =>
  route({
    method: 'PUT',
    path: '/api/user/setting',
    access: 'user',
    summary:
      'Replace the notification and price settings; an empty webhook secret keeps the stored one',
    body: lenientBody({
      notify_type: text().meta({
        description: 'Channel that notices go by',
        enum: ['email', 'webhook'],
      }),
      quota_warning_threshold: float().meta({
        description: 'Balance, in quota, below which a warning is sent',
        exclusiveMinimum: 0,
        maximum: THRESHOLD_MAX,
      }),
      webhook_url: text().meta({
        description: 'Public https address that notices are posted to; needed with webhook',
        maxLength: TEXT_CHARACTERS_MAX,
      }),
      webhook_secret: text().meta({
        description: 'Secret that webhooks are signed with; empty keeps the stored one',
        maxLength: TEXT_CHARACTERS_MAX,
        pattern: HEADER_TEXT.source,
      }),
      notification_email: text().describe(
        'Address for notices by e-mail; empty = the e-mail of the account',
      ),
      accept_unset_model_ratio_model: flag().describe(
        'Whether the user may call models without a price, at the default ratio; default false',
      ),
      language: optional(z.enum(['zh', 'en'], '无效的参数')).describe(
        'Language of mails and notices; absent = as it was, else that of the request',
      ),
    }),
    answer: {},
    example: {
      body: {
        notify_type: 'email',
        quota_warning_threshold: 100_000,
        notification_email: 'ann@example.com',
        accept_unset_model_ratio_model: false,
      },
      message: '设置已更新',
    },
    handle: async (request) => {
      const refusal = settingProblem(request.body, deps.mayReach)
      if (refusal !== null) return failure(refusal)
      const { userId } = callerOf(request)
      const stored = (await deps.users.byId(userId))?.setting ?? ''
      const language = request.body.language ?? storedLanguage(stored) ?? englishOf(request)
      await deps.users.update(userId, changeOf(request.body, language, deps.vault))
      return { message: '设置已更新' }
    },
  })

interface SettingForm {
  readonly notify_type: string
  readonly quota_warning_threshold: number
  readonly webhook_url: string
  readonly webhook_secret: string
  readonly notification_email: string
  readonly accept_unset_model_ratio_model: boolean
  readonly language?: Language | undefined
}

/** Chinese is the default, which needs no choice. */
const englishOf = ({ language }: { readonly language: Language }): Language | null =>
  language === 'en' ? 'en' : null

const TEXT_CHARACTERS_MAX = 2_000
/** Quota; no balance is ever near. */
const THRESHOLD_MAX = 1_000_000_000_000_000
/** The secret goes into a header. */
const HEADER_TEXT = /^[\x21-\x7e]*$/

function settingProblem(form: SettingForm, mayReach: SettingRouteDeps['mayReach']): string | null {
  if (form.notify_type !== 'email' && form.notify_type !== 'webhook') return '无效的预警类型'
  if (form.quota_warning_threshold <= 0) return '预警阈值必须大于0'
  if (form.quota_warning_threshold > THRESHOLD_MAX) return `预警阈值不能大于 ${THRESHOLD_MAX}`
  if (form.notify_type === 'webhook') {
    if (form.webhook_url === '') return 'Webhook地址不能为空'
    const isTooLong = form.webhook_url.length > TEXT_CHARACTERS_MAX
    if (isTooLong || !isHttpsAddress(form.webhook_url)) return '无效的Webhook地址'
    if (isWithin(form.webhook_url, mayReach)) return 'Webhook地址不能是内网或本机地址'
    if (form.webhook_secret.length > TEXT_CHARACTERS_MAX) return '无效的参数'
    if (!HEADER_TEXT.test(form.webhook_secret)) return 'Webhook密钥只能包含可见的英文字符'
    return null
  }
  const email = form.notification_email
  return email === '' || isEmailAddress(email) ? null : '无效的邮箱地址'
}

/**
 * Whether an address names, without asking anybody, what must not be reached. Other names are looked up and checked when
 * a notice is sent.
 */
function isWithin(address: string, mayReach: SettingRouteDeps['mayReach']): boolean {
  const host = new URL(address).hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost' || host.endsWith('.localhost')) return !mayReach('127.0.0.1')
  return isIP(host) !== 0 && !mayReach(host)
}

function changeOf(form: SettingForm, language: Language | null, vault: Vault): UserChange {
  const isWebhook = form.notify_type === 'webhook'
  const setting = JSON.stringify({
    notify_type: form.notify_type,
    quota_warning_threshold: form.quota_warning_threshold,
    accept_unset_model_ratio_model: form.accept_unset_model_ratio_model,
    ...(language !== null && { language }),
    ...(isWebhook && { webhook_url: form.webhook_url }),
    ...(!isWebhook &&
      form.notification_email !== '' && { notification_email: form.notification_email }),
  })
  if (!isWebhook) return { setting, webhookSecret: null }
  return form.webhook_secret === ''
    ? { setting }
    : { setting, webhookSecret: vault.seal('webhook-secret', form.webhook_secret) }
}
