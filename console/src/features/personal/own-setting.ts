/** The form's values: notification of a low balance, and whether models without a price may be called. */
export interface OwnSetting {
  readonly type: 'email' | 'webhook'
  /** Quota. */
  readonly threshold: number
  readonly webhookUrl: string
  /** '' = the account's own address. */
  readonly email: string
  readonly acceptsUnpriced: boolean
}

/** Thresholds offered with one click, in quota (seeds, section 9). */
export const THRESHOLD_PRESETS = [100_000, 500_000, 1_000_000, 5_000_000]
/** The threshold of a user who has never saved a setting (decision 29). */
const FIRST_THRESHOLD = 100_000
/** Where a saved setting lacks one (decision 29). */
const FALLBACK_THRESHOLD = 500_000

/** Reads the JSON text of the user object; what is missing or damaged stands at its default. */
export function ownSetting(text: string): OwnSetting {
  const stored = parsed(text)
  const threshold = stored?.['quota_warning_threshold']
  return {
    type: stored?.['notify_type'] === 'webhook' ? 'webhook' : 'email',
    threshold:
      typeof threshold === 'number' && threshold > 0
        ? threshold
        : stored === null
          ? FIRST_THRESHOLD
          : FALLBACK_THRESHOLD,
    webhookUrl: textOf(stored?.['webhook_url']),
    email: textOf(stored?.['notification_email']),
    acceptsUnpriced: stored?.['accept_unset_model_ratio_model'] === true,
  }
}

/** True for what the server takes as the address of a webhook: https only (seeds, section 5). */
export function isWebhookAddress(text: string): boolean {
  return text.trim().startsWith('https://') && URL.canParse(text.trim())
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    // Never saved, or damaged: both are as if nothing had been chosen.
    return null
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
