import type { OptionsView } from '@tollgate/domain/settings/options.ts'

/** As the user object has it (console-api 1.2). */
const CHARACTERS_MAX = 50
/** RFC 5321's Mailbox with a plain or quoted local part and a domain of two labels or more, in ASCII. */
const MAILBOX =
  /^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*|"[\x20\x21\x23-\x5b\x5d-\x7e]+")@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i

const TEXTS = {
  invalid: '无效的参数',
  invalidAddress: '无效的邮箱地址',
  domainRefused:
    "The administrator has enabled the email domain name whitelist, and your email address is not allowed due to special symbols or it's not in the whitelist.",
  aliasRefused: '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。',
} as const

export const isEmailAddress = (email: string): boolean =>
  email.length <= CHARACTERS_MAX && MAILBOX.test(email)

/** Why an e-mail may not be a user's, in the order of console-api 2.2; null when it may. */
export function emailProblem(email: string, options: OptionsView): string | null {
  if (!isEmailAddress(email)) return TEXTS.invalid
  const [local = '', domain = '', ...more] = email.split('@')
  // A quoted local part may hold an @, which old clients and lists of domains do not expect.
  if (more.length > 0) return TEXTS.invalidAddress
  if (
    options.flag('EmailDomainRestrictionEnabled') &&
    !options.lines('EmailDomainWhitelist').some((one) => one.toLowerCase() === domain.toLowerCase())
  ) {
    return TEXTS.domainRefused
  }
  if (options.flag('EmailAliasRestrictionEnabled') && /[+.]/.test(local)) return TEXTS.aliasRefused
  return null
}
