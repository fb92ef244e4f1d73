import { expect, test } from 'vitest'
import { invalidUserMessage } from './validate.ts'

const failed = (label: string, tag: string): string =>
  `Key: 'User.${label}' Error:Field validation for '${label}' failed on the '${tag}' tag`

test.each([
  [{}, null],
  [{ username: '十二个字符的用户名刚刚好' }, null],
  [{ username: '' }, null],
  [{ username: 'x'.repeat(13) }, `输入不合法 ${failed('Username', 'max')}`],
  [{ password: '1234567' }, '密码长度不得小于 8 位！'],
  [{ password: 'x'.repeat(21) }, `输入不合法 ${failed('Password', 'max')}`],
  [{ password: '密码密码密码密码' }, null],
  [
    { username: 'x'.repeat(13), email: 'x'.repeat(51) },
    `输入不合法 ${failed('Username', 'max')}\n${failed('Email', 'max')}`,
  ],
])('given the fields %j, when validated, then the message is %j', (fields, message) => {
  expect(invalidUserMessage(fields)).toBe(message)
})

test.each([
  'a\nb',
  'a\r\nb',
  'ro\u200bot',
  'a\u202eb',
  'a\u2028b',
  'a\u0007',
  '\u3164',
  'a\u00adb',
])('given the name %j, when checked as user or display name, then it is refused', (name) => {
  const refusal = '不能包含换行、控制字符或不可见字符'
  expect(invalidUserMessage({ username: name })).toBe(`用户名${refusal}`)
  expect(invalidUserMessage({ display_name: name })).toBe(`显示名称${refusal}`)
})

test.each(['安娜', 'Ann Ö', '❤️', 'a_b-c.d'])(
  'given the name %j, when checked, then it may be one',
  (name) => {
    expect(invalidUserMessage({ username: name, display_name: name })).toBeNull()
  },
)
