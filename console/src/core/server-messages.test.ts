import { expect, test } from 'vitest'
import { inLanguage } from './server-messages.ts'

test('given what the server refuses with, when read in English, then it is English', () => {
  expect(inLanguage('用户名或密码错误，或用户已被封禁', 'en')).toBe(
    'Wrong username or password, or the account is disabled.',
  )
  expect(inLanguage('用户名或密码错误，或用户已被封禁', 'zh')).toBe(
    '用户名或密码错误，或用户已被封禁',
  )
})

test('given an English message of the server, when read in Chinese, then it is Chinese', () => {
  expect(inLanguage('record not found', 'zh')).toBe('记录不存在，请刷新页面')
})

test.each(['en', 'zh'] as const)(
  'given words that the console does not know, when read in %s, then they are shown as they came',
  (language) => {
    expect(inLanguage('upstream says: no', language)).toBe('upstream says: no')
    expect(inLanguage('constructor', language)).toBe('constructor')
  },
)
