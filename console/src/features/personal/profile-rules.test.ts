import { expect, test } from 'vitest'
import { profileProblems } from './profile-rules.ts'

const KEPT = { username: 'linuxdo_12345', display_name: 'Ann' }

test.each([
  ['linuxdo_12345', 'Ann', {}],
  ['linuxdo_123456', 'Ann', { username: 'long' }],
  ['ann', 'x'.repeat(20), {}],
  ['ann', 'x'.repeat(21), { displayName: 'long' }],
  ['  ', 'Ann', { username: 'required' }],
  ['ann', ' ', { displayName: 'required' }],
])('given %j and %j, when checked, then %j', (username, displayName, problems) => {
  expect(profileProblems({ username, displayName }, KEPT)).toEqual(problems)
})
