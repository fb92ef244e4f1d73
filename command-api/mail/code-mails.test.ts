import { expect, test } from 'vitest'
import { passwordResetMail, verificationMail } from './code-mails.ts'

const facts = { systemName: 'Gate <北>', minutes: 10 } as const
const LINK = 'http://localhost:3000/user/reset?email=ann%40example.com&token=abc'

test.each([
  ['zh', 'Gate <北>邮箱验证邮件', '10 分钟'],
  ['en', 'Gate <北> e-mail verification', '10 minutes'],
] as const)(
  'given %s, when a code is mailed, then subject, name, code and time are there',
  (language, subject, time) => {
    const mail = verificationMail({ ...facts, language, code: '3f9a1c' })
    expect(mail.subject).toBe(subject)
    expect(mail.html).toMatch(/<strong[^>]*>3f9a1c<\/strong>/)
    expect(mail.html).toContain('Gate &#60;北&#62;')
    expect(mail.text).toContain('Gate <北>')
    expect(mail.text).toContain('3f9a1c')
    for (const body of [mail.html, mail.text]) expect(body).toContain(time)
  },
)

test.each([
  ['zh', 'Gate <北>密码重置', '10 分钟'],
  ['en', 'Gate <北> password reset', '10 minutes'],
] as const)(
  'given %s, when a link is mailed, then subject, name, time and the link in both forms are there',
  (language, subject, time) => {
    const mail = passwordResetMail({ ...facts, language, link: LINK })
    const escaped = LINK.replace('&', '&#38;')
    expect(mail.subject).toBe(subject)
    expect(mail.html).toContain(`<a href="${escaped}">`)
    expect(mail.html).toContain(`<br>${escaped}</p>`)
    expect(mail.html).toContain('Gate &#60;北&#62;')
    expect(mail.text).toContain(`\n${LINK}\n`)
    for (const body of [mail.html, mail.text]) expect(body).toContain(time)
  },
)

test('given a system name with markup, when mailed, then it stays text', () => {
  const systemName = '"><img src=x onerror=alert(1)>'
  for (const { html } of [
    verificationMail({ ...facts, systemName, language: 'zh', code: '000000' }),
    passwordResetMail({ ...facts, systemName, language: 'en', link: LINK }),
  ]) {
    expect(html).not.toContain('<img')
  }
})
