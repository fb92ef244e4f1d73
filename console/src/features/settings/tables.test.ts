import { expect, test } from 'vitest'
import { isSameJson, placeOf } from '../../parts/form/json-text.ts'
import type { TableShape } from './tables.ts'
import { tableProblem, tableRows, tableText } from './tables.ts'

test.each<[TableShape, string]>([
  ['ratios', '{"default":1,"vip":0.50}'],
  ['texts', '{"default":"默认分组","vip":"vip"}'],
  ['limits', '{"default":8192}'],
  ['rates', '{"default":[0,1],"vip":[20,1000]}'],
  ['headers', '{"claude-3":{"anthropic-beta":["a","b"],"x":["c"]},"default":{"y":["d"]}}'],
  [
    'factors',
    '{"gpt-5":{"priority":2,"flex":0.5,"above":{"tokens":272000,"in":2,"out":1.5}},"c":{"geo":1.1}}',
  ],
  ['list', '["imagen-3","imagen-4"]'],
  ['chats', '[{"one":"https://one.example/{key}"},{"two":"two://"}]'],
  ['ratios', '{}'],
  ['list', '[]'],
])(
  'given %s in %s, when shown as a table and written again, then it is the same',
  (shape, text) => {
    const rows = tableRows(shape, text)
    expect(tableProblem(shape, text)).toBeNull()
    expect(isSameJson(tableText(shape, rows?.map(({ cells }) => cells) ?? []), text)).toBe(true)
  },
)

test.each<[TableShape, string, string, number, string]>([
  ['ratios', '{\n"a":1,\n"b":-1}', 'negative', 3, 'b'],
  ['ratios', '{\n"a":"1"}', 'isNumber', 2, 'a'],
  ['ratios', '{\n"a":1,\n\n"a":2}', 'twice', 4, 'a'],
  ['ratios', '{"a":1e10}', 'tooLarge', 1, 'a'],
  ['ratios', '{"":1}', 'nameMissing', 1, ''],
  ['ratios', '[]', 'object', 1, ''],
  ['ratios', '{\n"a":1\n"b":1}', 'comma', 2, ''],
  ['texts', '{"a":1}', 'isText', 1, 'a'],
  ['limits', '{"a":0}', 'whole', 1, 'a'],
  ['limits', '{"a":1.5}', 'whole', 1, 'a'],
  ['rates', '{\n"a":[0,1],\n"b":[0,0]}', 'rates', 3, 'b'],
  ['rates', '{"a":[-1,1]}', 'rates', 1, 'a'],
  ['rates', '{"a":[1,2,3]}', 'rates', 1, 'a'],
  ['headers', '{"a":{\n"h":["x",1]}}', 'headers', 2, 'h'],
  ['factors', '{"a":{\n"turbo":2}}', 'factors', 2, 'turbo'],
  ['factors', '{"a":{\n"flex":0}}', 'factors', 2, 'flex'],
  ['factors', '{"a":{\n"above":{"tokens":1,"in":2}}}', 'factors', 2, 'above'],
  ['headers', '{"a":[]}', 'headers', 1, 'a'],
  ['list', '["a",\n1]', 'isText', 2, '1'],
  ['list', '{}', 'list', 1, ''],
  ['chats', '[{"a":"x"},\n{"a":"x","b":"y"}]', 'chats', 2, ''],
  ['chats', '[{"":"x"}]', 'nameMissing', 1, ''],
])(
  'given %s in %j, when checked, then %s in line %i is about %j',
  (shape, text, problem, line, name) => {
    const found = tableProblem(shape, text)
    expect([found?.problem, placeOf(text, found?.at ?? -1).line, found?.name]).toEqual([
      problem,
      line,
      name,
    ])
  },
)

test('given a half-typed number and a name twice, when written and shown again, then both are as typed', () => {
  const rows = [
    ['a', '1.'],
    ['a', '2'],
  ]
  const text = tableText('ratios', rows)
  expect(tableRows('ratios', text)?.map(({ cells }) => cells)).toEqual(rows)
  expect(tableProblem('ratios', text)?.problem).toBe('isNumber')
})
