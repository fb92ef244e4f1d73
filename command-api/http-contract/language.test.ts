import { expect, test } from 'vitest'
import { preferredLanguage } from './language.ts'

test.each([
  [null, 'zh'],
  ['', 'zh'],
  ['*', 'zh'],
  ['de-DE,de;q=0.9', 'zh'],
  ['en', 'en'],
  ['en-US,en;q=0.9', 'en'],
  ['EN-gb', 'en'],
  ['english', 'zh'],
  ['de, en;q=0.8, zh;q=0.5', 'en'],
  ['en;q=0.5, zh-CN;q=0.8', 'zh'],
  ['zh-TW, en', 'zh'],
  ['en;q=0, fr', 'zh'],
  ['en;q=x', 'zh'],
  [`${'x,'.repeat(1_000)}en`, 'zh'],
])('given Accept-Language %j, when asked for a language, then it is %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language)
})
