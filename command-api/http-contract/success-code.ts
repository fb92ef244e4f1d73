/** The contract's texts of successes, by their codes (decision 47). */
const SUCCESS_TEXTS = {
  affiliate_quota_transferred: '划转成功',
  model_ratios_reset: '重置模型倍率成功',
  server_running: 'Server is running',
  settings_saved: '设置已更新',
  setup_finished: '系统初始化成功',
} as const

type SuccessCode = keyof typeof SUCCESS_TEXTS

const CODES = Object.keys(SUCCESS_TEXTS) as readonly SuccessCode[]

interface CodedSuccess {
  readonly code: SuccessCode
  /** None of these texts has values. */
  readonly params: Readonly<Record<string, never>>
}

/**
 * Code and values from which a client renders the message of a success in its reader's language; {} where there is no
 * message.
 */
export function codedSuccess(message: string): Partial<CodedSuccess> {
  const code = CODES.find((one) => SUCCESS_TEXTS[one] === message)
  return code === undefined ? {} : { code, params: {} }
}
