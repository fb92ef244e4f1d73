import { expect, test } from 'vitest'
import { groupPalette, userRole, userStatus } from './user-status.ts'

test.each([
  ['vip', 'yellow'],
  ['pro', 'yellow'],
  ['svip', 'red'],
  ['premium', 'red'],
  ['default', 'gray'],
])('given the group %s, when shown, then it is %s', (group, palette) => {
  expect(groupPalette(group)).toBe(palette)
})

test.each([
  [1, null, 'active'],
  [2, null, 'banned'],
  [3, null, 'off'],
  [1, '2026-01-01T00:00:00Z', 'deleted'],
] as const)('given status %i and deletion %j, when shown, then %s', (status, DeletedAt, name) => {
  expect(userStatus({ status, DeletedAt }).name).toBe(name)
})

test.each([
  [1, 'user'],
  [10, 'admin'],
  [100, 'root'],
])('given role %i, when shown, then %s', (role, name) => {
  expect(userRole(role).name).toBe(name)
})
