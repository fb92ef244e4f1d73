import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAILURE_TEXTS } from '@tollgate/command-api/http-contract/failure-texts.ts'
import { expect, test } from 'vitest'

/** The console renders the server's failures by their codes: every code has a text in the reader's language. */
const read = (language: 'en' | 'zh') =>
  JSON.parse(
    readFileSync(
      join(import.meta.dirname, `../../console/src/locales/failures/${language}.json`),
      'utf8',
    ),
  ) as Readonly<Record<string, string>>

const SAID: Readonly<Record<string, string>> = FAILURE_TEXTS
/** The placeholders of a text, each once: `{most#}`. */
const placeholders = (text = '') =>
  [...new Set([...text.matchAll(/\{[a-z]\w*#?\}/gi)].map(String))].toSorted()
const differing = (texts: Readonly<Record<string, string>>) =>
  Object.keys(texts).filter(
    (code) => String(placeholders(texts[code])) !== String(placeholders(SAID[code])),
  )

test('given every failure of the server, when read in English, then its text has the same values', () => {
  const english = read('en')
  expect(Object.keys(english).toSorted()).toEqual(Object.keys(SAID).toSorted())
  expect(differing(english)).toEqual([])
  expect(Object.values(english).filter((text) => /\p{Script=Han}/u.test(text))).toEqual([])
})

test('given failures whose own message is not Chinese, when read in Chinese, then a text has their values', () => {
  const chinese = read('zh')
  const isChinese = (text: string) => /\p{Script=Han}/u.test(text)
  const foreign = Object.keys(SAID).filter((code) => !isChinese(SAID[code] ?? ''))
  expect(foreign.filter((code) => !isChinese(chinese[code] ?? ''))).toEqual([])
  expect(Object.keys(chinese).filter((code) => SAID[code] === undefined)).toEqual([])
  expect(differing(chinese)).toEqual([])
})
