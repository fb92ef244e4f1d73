import type { Language } from '@tollgate/domain/ports/language.ts'
import { escapeHtml, mailPage } from '../mail/html.ts'
import type { Mail } from '../mail/mailer.ts'
import { filledHtml, filledText } from './filled-content.ts'
import type { NoticeText } from './notifier.ts'

/** A notice as a mail, in HTML and in plain text. */
export function noticeMail(
  notice: NoticeText,
  { to, language, systemName }: { to: string; language: Language; systemName: string },
): Mail {
  return {
    to,
    subject: notice.title,
    text: `${filledText(notice)}\n\n${systemName}\n`,
    html: mailPage(language, notice.title, [
      filledHtml(notice),
      `<span style="color: #666">${escapeHtml(systemName)}</span>`,
    ]),
  }
}
