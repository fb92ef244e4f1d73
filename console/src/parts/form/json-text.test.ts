import { expect, test } from 'vitest'
import { doubleName, inLines, isSameJson, placeOf, readJson } from './json-text.ts'

test.each([
  ['', 'empty', 1, 1],
  ['  \n ', 'empty', 1, 1],
  ['{"a":1', 'end', 1, 7],
  ['{"a":1,}', 'name', 1, 8],
  ['{\n  "a": 1\n  "b": 2\n}', 'comma', 2, 9],
  ['{\n  "a" 1\n}', 'colon', 2, 7],
  ['{a:1}', 'name', 1, 2],
  ['{"a":}', 'value', 1, 6],
  ["{'a':1}", 'name', 1, 2],
  ['{"a":"b}', 'string', 1, 6],
  ['{"a":"\\x"}', 'escape', 1, 6],
  ['{"a":01}', 'number', 1, 6],
  ['{"a":1.}', 'number', 1, 6],
  ['[1 2]', 'comma', 1, 3],
  ['[1,]', 'value', 1, 4],
  ['{} {}', 'after', 1, 4],
  ['{"a":[', 'end', 1, 7],
])(
  'given %j, when read, then it is wrong by %s at line %i, column %i',
  (text, problem, line, column) => {
    const reading = readJson(text)
    if (!('problem' in reading)) throw new Error('it was read')
    expect([reading.problem, placeOf(text, reading.at)]).toEqual([problem, { line, column }])
  },
)

test.each([
  '{}',
  '[]',
  ' {"a": [1, -2.5e3, true, false, null, "\\u00e9\\n"], "b": {"c": {}}} ',
  '"text"',
  '0',
])('given %j, when read and written in lines, then it is the same value', (text) => {
  expect('root' in readJson(text)).toBe(true)
  expect(JSON.parse(inLines(text))).toEqual(JSON.parse(text))
  expect(isSameJson(text, inLines(text))).toBe(true)
})

test('given what JSON.parse refuses, when read, then it is refused as well, and the other way round', () => {
  const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '1', '-', 'true', '.5', ' ', '\n', '"', '\\']
  let seed = 7
  const next = () => (seed = (seed * 48_271) % 2_147_483_647)
  for (let round = 0; round < 5000; round += 1) {
    const text = Array.from({ length: next() % 8 }, () => pieces[next() % pieces.length]).join('')
    let isJson = true
    try {
      JSON.parse(text)
    } catch {
      isJson = false
    }
    expect([text, 'root' in readJson(text)]).toEqual([text, isJson])
  }
})

test('given a name twice in one object, when looked for, then the second is found', () => {
  const text = '{"a":1,\n"b":{"c":1},\n"a":2}'
  const reading = readJson(text)
  const double = 'root' in reading ? doubleName(reading.root) : undefined
  expect(double?.name).toBe('a')
  expect(placeOf(text, double?.at ?? 0)).toEqual({ line: 3, column: 1 })
  expect('root' in readJson('[{"a":1},{"a":1}]')).toBe(true)
})

test('given numbers, when written in lines, then they stay as they were written', () => {
  expect(inLines('{"a":1.50,"b":[1,2]}')).toBe('{\n  "a": 1.50,\n  "b": [1, 2]\n}')
  expect(isSameJson('{"a":1.50}', '{"a":1.5}')).toBe(true)
  expect(isSameJson('{"a":1}', '{"a":2}')).toBe(false)
  expect(isSameJson('{', '{')).toBe(true)
  expect(isSameJson('{', '[')).toBe(false)
})
