import type { Language } from '../http-contract/language.ts'
import type { MailContent } from './code-mails.ts'
import { escapeHtml, mailPage } from './html.ts'

/** The mail to the e-mail that a user had until now. It does not name the new one, which may not be the reader's. */
export function emailReplacedMail(facts: {
  readonly systemName: string
  readonly language: Language
  readonly username: string
}): MailContent {
  const { systemName, language, username } = facts
  const words =
    language === 'zh'
      ? {
          subject: `${systemName}邮箱已更换`,
          lead: `您在 ${systemName} 的账户 ${username} 已绑定另一个邮箱，此邮箱不再属于该账户。`,
          after: '如果不是您本人操作，请立即联系管理员。',
        }
      : {
          subject: `${systemName} e-mail replaced`,
          lead: `Your account ${username} at ${systemName} has another e-mail now; this one no longer belongs to it.`,
          after: 'If this was not you, write to the administrator at once.',
        }
  return {
    subject: words.subject,
    text: `${words.lead}\n\n${words.after}\n`,
    html: mailPage(language, words.subject, [escapeHtml(words.lead), escapeHtml(words.after)]),
  }
}
