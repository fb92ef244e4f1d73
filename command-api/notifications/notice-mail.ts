import type { Language } from '@tollgate/domain/ports/language.ts'
import type { Mail } from '../mail/mailer.ts'
import { escapeHtml, filledHtml, filledText } from './filled-content.ts'
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
    html: `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head><meta charset="utf-8"><title>${escapeHtml(notice.title)}</title></head>
<body style="font-family: sans-serif; line-height: 1.6">
<p>${filledHtml(notice)}</p>
<p style="color: #666">${escapeHtml(systemName)}</p>
</body>
</html>
`,
  }
}
