import type { Language } from '../http-contract/language.ts'

/** Text that stands for itself in HTML, also within a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Plain HTML that every mail program shows; `paragraphs` are HTML already, the title is text. */
export function mailPage(language: Language, title: string, paragraphs: readonly string[]): string {
  const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="font-family: sans-serif; line-height: 1.6">
${body}
</body>
</html>
`
}
