import { expect, test } from 'vitest'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { isEmailAddress, emailProblem } from './email-address.ts'

test.each([
  ['ann@example.com', true],
  ['ann.lee+gate@mail.example.co', true],
  ["o'neil@example.com", true],
  ['"ann lee"@example.com', true],
  ['ann', false],
  ['ann@', false],
  ['@example.com', false],
  ['ann@localhost', false],
  ['ann@example..com', false],
  ['.ann@example.com', false],
  ['ann@-example.com', false],
  ['ann lee@example.com', false],
  ['ann@example.com\r\nBcc: eve@example.com', false],
  ['ann@example.com,eve@example.com', false],
  ['ann@example.com;eve@example.com', false],
  ['Ann <ann@example.com>', false],
  ['\u212aate@example.com', false],
  [`${'a'.repeat(38)}@example.com`, true],
  [`${'a'.repeat(39)}@example.com`, false],
  ['', false],
])('given %j, when asked whether it is an e-mail, then %s', (written, isOne) => {
  expect(isEmailAddress(written)).toBe(isOne)
})

const DOMAIN =
  "The administrator has enabled the email domain name whitelist, and your email address is not allowed due to special symbols or it's not in the whitelist."
const ALIAS = '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。'
const DOMAINS = { EmailDomainRestrictionEnabled: 'true', EmailDomainWhitelist: 'gmail.com,qq.com' }
const ALIASES = { EmailAliasRestrictionEnabled: 'true' }

test.each([
  ['a+b@evil.com', {}, null],
  ['ann', {}, '无效的参数'],
  ['"a@b"@gmail.com', {}, '无效的邮箱地址'],
  ['ann@gmail.com', DOMAINS, null],
  ['ann@GMail.com', DOMAINS, null],
  ['ann@evil.com', DOMAINS, DOMAIN],
  ['ann@mail.gmail.com', DOMAINS, DOMAIN],
  ['ann@evilgmail.com', DOMAINS, DOMAIN],
  ['a+b@gmail.com', ALIASES, ALIAS],
  ['a.b@gmail.com', ALIASES, ALIAS],
  ['ab@sub.gmail.com', ALIASES, null],
  ['a+b@evil.com', { ...DOMAINS, ...ALIASES }, DOMAIN],
])('given the e-mail %j under %j, when asked why it is unfit, then %j', (email, settings, why) => {
  expect(emailProblem(email, optionsFrom(Object.entries(settings)))).toBe(why)
})
