import type { Language } from '../http-contract/language.ts'
import { z } from 'zod'

/**
 * The settings of a user for themselves; the column `setting` of identity.users holds them as JSON by the wire's names.
 */
export interface UserSetting {
  readonly notifyType: 'email' | 'webhook'
  /** Quota; null = the option QuotaRemindThreshold. */
  readonly quotaWarningThreshold: number | null
  /** '' = none. */
  readonly webhookUrl: string
  /** '' = the account's own address. */
  readonly notificationEmail: string
  readonly acceptsUnpricedModels: boolean
  /** Language of mails and notices. */
  readonly language: Language
}

/** The stored setting; members that are missing or do not fit (another version wrote them) have their default. */
export function userSetting(stored: string): UserSetting {
  const read = settingText.parse(tableOf(stored))
  return {
    notifyType: read.notify_type,
    quotaWarningThreshold: read.quota_warning_threshold,
    webhookUrl: read.webhook_url,
    notificationEmail: read.notification_email,
    acceptsUnpricedModels: read.accept_unset_model_ratio_model,
    language: read.language,
  }
}

/** Null when the user has never chosen one. */
export function storedLanguage(stored: string): Language | null {
  const chosen = z.object({ language: z.enum(['zh', 'en']) }).safeParse(tableOf(stored))
  return chosen.success ? chosen.data.language : null
}

const settingText = z.object({
  notify_type: z.enum(['email', 'webhook']).catch('email'),
  quota_warning_threshold: z.number().nullable().catch(null),
  webhook_url: z.string().catch(''),
  notification_email: z.string().catch(''),
  accept_unset_model_ratio_model: z.boolean().catch(false),
  language: z.enum(['zh', 'en']).catch('zh'),
})

function tableOf(stored: string): object {
  try {
    const value: unknown = JSON.parse(stored)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (cause) {
    if (cause instanceof SyntaxError) return {}
    throw cause
  }
}
