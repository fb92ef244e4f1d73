import { expect, test } from 'vitest'
import { registerErrors, registerPayload } from './register-rules.ts'

const GOOD = {
  username: ' ann ',
  password: 'correct horse',
  password2: 'correct horse',
  email: ' ann@example.com ',
  code: ' 3f9a1c ',
}

test('given a whole form, when checked, then nothing is wrong', () => {
  expect(registerErrors(GOOD, true)).toEqual({})
})

test.each([
  [{ username: '  ' }, { username: 'missing' }],
  [{ username: 'a'.repeat(13) }, { username: 'long' }],
  [{ username: '😀'.repeat(12) }, {}],
  [{ password: '', password2: '' }, { password: 'missing' }],
  [{ password: '1234567', password2: '1234567' }, { password: 'short' }],
  [{ password: 'x'.repeat(21), password2: 'x'.repeat(21) }, { password: 'long' }],
  [{ password2: 'correct mouse' }, { password2: 'mismatch' }],
  [{ email: ' ' }, { email: 'missing' }],
  [{ code: '' }, { code: 'missing' }],
])('given %j, when checked, then %j', (part, errors) => {
  expect(registerErrors({ ...GOOD, ...part }, true)).toEqual(errors)
})

test('given no check of e-mails, when checked and sent, then e-mail and code do not matter and do not go', () => {
  expect(registerErrors({ ...GOOD, email: '', code: '' }, false)).toEqual({})
  expect(registerPayload(GOOD, false, '')).toEqual({
    username: 'ann',
    password: 'correct horse',
    password2: 'correct horse',
  })
})

test('given an invitation and a check of e-mails, when sent, then both go along, trimmed', () => {
  expect(registerPayload(GOOD, true, 'x7Qp')).toMatchObject({
    email: 'ann@example.com',
    verification_code: '3f9a1c',
    aff_code: 'x7Qp',
  })
})
