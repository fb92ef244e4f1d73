import type { Language } from '../http-contract/language.ts'
import { escapeHtml, mailPage } from '../mail/html.ts'
import type { Mail } from '../mail/mailer.ts'
import { filledHtml, filledText } from './filled-content.ts'
import type { NoticeText } from './notifier.ts'

/** A notice as a mail, in HTML and in plain text. */
export function noticeMail(
  notice: NoticeText,
  { to, askedBy, language, systemName }: NoticeMailFacts,
): Mail {
  const why = askedBy === null ? [] : [mailReason(askedBy, language, systemName)]
  return {
    to,
    subject: notice.title,
    text: `${[filledText(notice), ...why, systemName].join('\n\n')}\n`,
    html: mailPage(language, notice.title, [
      filledHtml(notice),
      ...why.map(escapeHtml),
      `<span style="color: #666">${escapeHtml(systemName)}</span>`,
    ]),
  }
}

interface NoticeMailFacts {
  readonly to: string
  /** The user whose settings name this address, which is not their account's; null = it is. */
  readonly askedBy: string | null
  readonly language: Language
  readonly systemName: string
}

/** The address is not shown to be the user's: its reader must see whom to complain of. */
const mailReason = (username: string, language: Language, systemName: string): string =>
  language === 'zh'
    ? `此邮件由 ${systemName} 用户“${username}”在通知设置中指定发送到此地址。如果您不认识该用户，请忽略此邮件并联系管理员。`
    : `The user “${username}” of ${systemName} has asked for notices to be sent to this address. If you do not know them, ignore this mail and write to the administrator.`
