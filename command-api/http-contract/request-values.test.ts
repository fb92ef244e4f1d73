import { expect, test } from 'vitest'
import { pathIdOf, queryFlagOf, queryIntOf, queryTextOf } from './request-values.ts'

test.each([
  [undefined, '', 0, false],
  ['', '', 0, false],
  ['NaN', 'NaN', 0, false],
  ['1.5', '1.5', 0, false],
  ['-3', '-3', -3, false],
  ['1', '1', 1, true],
  ['True', 'True', 0, true],
  ['yes', 'yes', 0, false],
  [['4', '5'], '4', 4, false],
  [[], '', 0, false],
  ['99999999999999999999', '99999999999999999999', 0, false],
  ['\u0000', '\ufffd', 0, false],
  ['a\u0000b', 'a\ufffdb', 0, false],
  ['a\ud800', 'a\ufffd', 0, false],
])(
  'given the query value %j, when read, then it is the text %j, the number %d and the flag %j',
  (value, text, number, flag) => {
    expect(queryTextOf(value)).toBe(text)
    expect(queryIntOf(value)).toBe(number)
    expect(queryFlagOf(value)).toBe(flag)
  },
)

test.each([
  ['12', { id: 12 }],
  ['-1', { id: -1 }],
  ['abc', { invalid: 'id 不是有效的数字: "abc"' }],
  ['1\u0000', { invalid: 'id 不是有效的数字: "1\\u0000"' }],
  ['1234567890123456', { invalid: 'id 不是有效的数字: "1234567890123456"' }],
])('given the path id %j, when read, then %j', (written, read) => {
  expect(pathIdOf(written)).toEqual(read)
})
