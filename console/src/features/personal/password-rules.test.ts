import { expect, test } from 'vitest'
import { passwordErrors } from './password-rules.ts'

test.each([
  [{ original: 'old-secret', password: 'new-secret', confirmation: 'new-secret' }, {}],
  [{ original: '', password: 'new-secret', confirmation: 'new-secret' }, { original: 'required' }],
  [{ original: 'old-secret', password: '', confirmation: '' }, { password: 'required' }],
  [{ original: 'old-secret', password: 'short', confirmation: 'short' }, { password: 'short' }],
  [
    { original: 'old-secret', password: 'old-secret', confirmation: 'old-secret' },
    { password: 'same' },
  ],
  [
    { original: 'old-secret', password: 'new-secret', confirmation: 'other' },
    { confirmation: 'mismatch' },
  ],
])('given %j, when checked, then %j', (form, errors) => {
  expect(passwordErrors(form)).toEqual(errors)
})
