import type { OptionKey } from './catalogue.ts'
import type { SettingsState } from './state.ts'

/**
 * The message for an option's new value while a setting that it needs is missing; null when none is. A switch needs the
 * settings that it switches on. Payment needs the server's address, which therefore stays while payment is set.
 * Messages are those of the wire contract (console-api 3.1; seeds, payment settings).
 */
export function unmetRequirement(
  state: SettingsState,
  key: OptionKey,
  text: string,
): string | null {
  if (key === 'ServerAddress') return addressProblem(state, text)
  const requirement = REQUIREMENTS[key]
  if (requirement === undefined || !requirement.applies(text)) return null
  return requirement.needs.every((needed) => isGiven(state, needed)) ? null : requirement.message
}

/** The secret EpayKey cannot be taken back, and nobody pays without the others. */
const CLEARABLE_PAYMENT: readonly OptionKey[] = ['PayAddress', 'CustomCallbackAddress', 'EpayId']

function addressProblem({ options }: SettingsState, text: string): string | null {
  const set = CLEARABLE_PAYMENT.filter((key) => options.text(key) !== '')
  return text !== '' || set.length === 0
    ? null
    : `在线支付需要服务器地址，请先清空支付设置：${set.join('、')}`
}

interface Requirement {
  applies(text: string): boolean
  readonly needs: readonly OptionKey[]
  readonly message: string
}

const whenOn = (needs: OptionKey | readonly OptionKey[], message: string): Requirement => ({
  applies: (text) => text === 'true',
  needs: typeof needs === 'string' ? [needs] : needs,
  message,
})

const forPayment: Requirement = {
  applies: (text) => text !== '',
  needs: ['ServerAddress'],
  message: '请先填写服务器地址',
}

const REQUIREMENTS: Readonly<Partial<Record<OptionKey, Requirement>>> = {
  GitHubOAuthEnabled: whenOn(
    ['GitHubClientId', 'GitHubClientSecret'],
    '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
  ),
  'oidc.enabled': whenOn(
    'oidc.client_id',
    '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！',
  ),
  LinuxDOOAuthEnabled: whenOn(
    'LinuxDOClientId',
    '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
  ),
  EmailDomainRestrictionEnabled: whenOn(
    'EmailDomainWhitelist',
    '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
  ),
  WeChatAuthEnabled: whenOn(
    'WeChatServerAddress',
    '无法启用微信登录，请先填入微信登录相关配置信息！',
  ),
  TurnstileCheckEnabled: whenOn(
    // With the site key alone nobody's answer could be checked, and nobody could sign in again.
    ['TurnstileSiteKey', 'TurnstileSecretKey'],
    '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
  ),
  TelegramOAuthEnabled: whenOn(
    'TelegramBotToken',
    '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
  ),
  PayAddress: forPayment,
  CustomCallbackAddress: forPayment,
  EpayId: forPayment,
  EpayKey: forPayment,
}

const isGiven = ({ options, secrets }: SettingsState, key: OptionKey): boolean =>
  secrets.has(key) || options.text(key) !== ''
