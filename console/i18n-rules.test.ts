import { expect, test } from 'vitest'
import { repeatedKeys, unequalTexts, unusedKeys } from './i18n-rules.ts'

test('given equal keys and placeholders, when compared, then nothing is said', () => {
  expect(unequalTexts({ a: { b: '共 {{n}} 条' } }, { a: { b: '{{n}} rows' } })).toEqual([])
})

test('given a missing key, an empty text and another placeholder, when compared, then each is named', () => {
  const zh = { a: '甲', b: '', c: '{{n}}' }
  const en = { b: 'B', c: '{{count}}', d: 'D' }
  expect(unequalTexts(zh, en)).toEqual([
    'en lacks a',
    'zh lacks b',
    'placeholders differ in c',
    'zh lacks d',
  ])
})

test('given sources, when texts are looked for, then those named by no key and no template are found', () => {
  const texts = { log: { time: '', type_error: '', 'kind-x': '' } }
  const sources = ["t('log.time')", 't(`log.type_${name}`)']
  expect(unusedKeys(texts, sources)).toEqual(['unused text log.kind-x'])
})

test('given an English singular, when compared, then Chinese needs none, and its plural must have a count', () => {
  const zh = { rows: '共 {{count}} 条', views: '视图' }
  const en = {
    rows: '{{count}} rows',
    rows_one: '{{count}} row',
    views: 'views',
    views_one: 'view',
  }
  expect(unequalTexts(zh, en)).toEqual(['views_one is the singular of a text without count'])
})

test('given a key twice in a group, when read, then it is named; in another group it may stand again', () => {
  const texts = { log: { time: '', type: '' }, charge: { time: '' } }
  const file = JSON.stringify(texts, null, 2)
  expect(repeatedKeys(file)).toEqual([])
  expect(repeatedKeys(file.replace('"type"', '"time"'))).toEqual(['twice: time'])
})
