import { expect, test } from 'vitest'
import { textDifferences } from './text-diff.ts'

test.each([
  ['{"a":1,"b":2}', '{"b":2,"a":1}', []],
  ['{"a":1}', '{"a":1.5}', [{ kind: 'changed', name: 'a', old: '1', text: '1.5' }]],
  [
    '{"a":1,"b":{"x":[1]}}',
    '{"b":{"x":[2]},"c":"new"}',
    [
      { kind: 'removed', name: 'a', text: '1' },
      { kind: 'changed', name: 'b', old: '{"x":[1]}', text: '{"x":[2]}' },
      { kind: 'added', name: 'c', text: '"new"' },
    ],
  ],
  ['', '{"a":1}', [{ kind: 'added', name: 'a', text: '1' }]],
  ['{"__proto__":1}', '{}', [{ kind: 'removed', name: '__proto__', text: '1' }]],
])(
  'given the objects %j and %j, when compared, then their entries differ',
  (old, text, expected) => {
    expect(textDifferences(old, text)).toEqual(expected)
  },
)

test.each([
  [
    'one\ntwo\ntwo',
    'two\nthree',
    [
      ['removed', 'one'],
      ['removed', 'two'],
      ['added', 'three'],
    ],
  ],
  [
    '[{"A":"1"}]',
    '[{"A":"2"}]',
    [
      ['removed', '[{"A":"1"}]'],
      ['added', '[{"A":"2"}]'],
    ],
  ],
  ['', 'hello', [['added', 'hello']]],
  [
    '{"a":',
    '{"a":1}',
    [
      ['removed', '{"a":'],
      ['added', '{"a":1}'],
    ],
  ],
  ['same', 'same', []],
])('given the texts %j and %j, when compared, then their lines differ', (old, text, expected) => {
  const found = textDifferences(old, text)
  expect(found.map((difference) => [difference.kind, difference.text])).toEqual(expected)
})
