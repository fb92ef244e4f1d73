import type { Language } from '../http-contract/language.ts'
import { escapeHtml, mailPage } from './html.ts'
import type { Mail } from './mailer.ts'

/** A mail without its receiver. */
export type MailContent = Omit<Mail, 'to'>

interface CodeMail {
  readonly systemName: string
  readonly language: Language
  /** How long the code is good. */
  readonly minutes: number
}

/** The mail with a code that shows that an e-mail is one's own (console-api 5.1). */
export function verificationMail(facts: CodeMail & { readonly code: string }): MailContent {
  const { systemName, language, minutes, code } = facts
  const words =
    language === 'zh'
      ? {
          subject: `${systemName}邮箱验证邮件`,
          greeting: `您好，您正在进行 ${systemName} 的邮箱验证。`,
          lead: '您的验证码为：',
          after: `验证码 ${minutes} 分钟内有效。如果不是您本人操作，请忽略此邮件。`,
        }
      : {
          subject: `${systemName} e-mail verification`,
          greeting: `Somebody, probably you, wants to use this e-mail address with ${systemName}.`,
          lead: 'Your verification code:',
          after: `It is valid for ${minutes} minutes. If this was not you, ignore this mail.`,
        }
  return {
    subject: words.subject,
    text: `${words.greeting}\n\n${words.lead} ${code}\n\n${words.after}\n`,
    html: mailPage(language, words.subject, [
      escapeHtml(words.greeting),
      `${escapeHtml(words.lead)} <strong style="font-size: 1.5em; letter-spacing: 0.1em">${escapeHtml(code)}</strong>`,
      escapeHtml(words.after),
    ]),
  }
}

/** The mail with the link that sets a new password (console-api 5.1). */
export function passwordResetMail(facts: CodeMail & { readonly link: string }): MailContent {
  const { systemName, language, minutes, link } = facts
  const words =
    language === 'zh'
      ? {
          subject: `${systemName}密码重置`,
          greeting: `您好，您正在进行 ${systemName} 的密码重置。`,
          button: '点击此处重置密码',
          lead: '如果链接无法点击，请将以下地址复制到浏览器中打开：',
          after: `链接 ${minutes} 分钟内有效，只能使用一次。如果不是您本人操作，请忽略此邮件。`,
        }
      : {
          subject: `${systemName} password reset`,
          greeting: `Somebody, probably you, wants a new password for ${systemName}.`,
          button: 'Set a new password',
          lead: 'If the link does not open, copy this address into your browser:',
          after: `The link is valid for ${minutes} minutes and works once. If this was not you, ignore this mail.`,
        }
  const address = escapeHtml(link)
  return {
    subject: words.subject,
    text: `${words.greeting}\n\n${link}\n\n${words.after}\n`,
    html: mailPage(language, words.subject, [
      escapeHtml(words.greeting),
      `<a href="${address}">${escapeHtml(words.button)}</a>`,
      `${escapeHtml(words.lead)}<br>${address}`,
      escapeHtml(words.after),
    ]),
  }
}
