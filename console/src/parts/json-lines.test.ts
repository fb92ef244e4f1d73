import { expect, test } from 'vitest'
import { copiedText, jsonLines, nestedPaths, parsedJson } from './json-lines.ts'

const VALUE = { id: 'a', usage: { in: 3, tools: ['x', {}] }, 'a/b': { deep: [] }, none: null }
const shown = (folded: readonly string[]) =>
  jsonLines(VALUE, new Set(folded)).map(
    ({ depth, name, text, hasNext }) =>
      `${' '.repeat(depth)}${name === null ? '' : `${name}: `}${text}${hasNext ? ',' : ''}`,
  )

test('given nested JSON, when nothing is folded, then each value and each closing bracket has a line', () => {
  expect(shown([])).toEqual([
    '{',
    ' id: "a",',
    ' usage: {',
    '  in: 3,',
    '  tools: [',
    '   "x",',
    '   {}',
    '  ]',
    ' },',
    ' a/b: {',
    '  deep: []',
    ' },',
    ' none: null',
    '}',
  ])
})

test('given nested JSON, when parts are folded, then each is one line', () => {
  expect(shown(['/usage', '/a~1b'])).toEqual([
    '{',
    ' id: "a",',
    ' usage: {…},',
    ' a/b: {…},',
    ' none: null',
    '}',
  ])
  expect(shown(['', '/usage'])).toEqual(['{…}'])
})

test('given nested JSON, when asked what can be folded, then it is all that has members, but the whole', () => {
  expect(nestedPaths(VALUE)).toEqual(['/usage', '/usage/tools', '/a~1b'])
})

test('given values, when copied, then texts are without quotes; a text that is no JSON stands for none', () => {
  expect(['a"b', 3, null, ['x']].map(copiedText)).toEqual(['a"b', '3', 'null', '[\n  "x"\n]'])
  expect([parsedJson('{"a":'), parsedJson('3')]).toEqual([undefined, 3])
})

test('given numbers that JavaScript cannot hold, when shown and copied, then they keep their digits', () => {
  const value = parsedJson('{"id":9007199254740993,"cost":[1.0,-0,2.50e-7],"n":3}')
  const texts = jsonLines(value, new Set()).map(({ text }) => text)
  expect(texts).toEqual(['{', '9007199254740993', '[', '1.0', '-0', '2.50e-7', ']', '3', '}'])
  expect(copiedText(value)).toContain('"id": 9007199254740993')
})
