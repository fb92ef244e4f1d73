import { expect, test } from 'vitest'
import { seesSessions, userActions } from './user-actions.ts'
import { NEW_USER, newUserProblems, userProblems } from './user-form.ts'

test.each([
  [{}, { username: 'required' }],
  [{ username: 'ann' }, { password: 'required' }],
  [{ username: '  ', password: 'long-enough' }, { username: 'required' }],
  [{ username: 'ann', password: '1234567' }, { password: 'passwordShort' }],
  [{ username: 'ann', password: '1'.repeat(21) }, { password: 'passwordLong' }],
  [{ username: '春'.repeat(12), password: 'long-enough' }, {}],
  [{ username: '春'.repeat(13), password: 'long-enough' }, { username: 'usernameLong' }],
  [
    { username: 'a', password: 'long-enough', displayName: 'x'.repeat(21) },
    { displayName: 'displayNameLong' },
  ],
])('given the new user %j, when checked, then %j', (change, problems) => {
  expect(newUserProblems({ ...NEW_USER, ...change })).toEqual(problems)
})

const OPENED = { ...NEW_USER, username: 'linuxdo_1234567', group: 'default', quota: '100' }

test.each([
  [{}, {}],
  [{ username: '' }, { username: 'required' }],
  [{ username: 'linuxdo_12345678' }, { username: 'usernameLong' }],
  [{ password: 'short' }, { password: 'passwordShort' }],
  [{ quota: '200' }, { reason: 'reason' }],
  [{ quota: '200', reason: 'gift' }, {}],
  [{ quota: '-1', reason: 'x' }, { quota: 'amount' }],
  [{ quota: 'x', reason: 'x' }, { quota: 'amount' }],
  [{ group: 'vip' }, {}],
])('given the change %j, when checked, then %j', (change, problems) => {
  const money = { unit: 'quota', quotaPerUnit: 500_000 } as const
  expect(userProblems({ ...OPENED, ...change }, OPENED, money)).toEqual(problems)
})

const DELETED = '2026-01-01T00:00:00Z'

test.each([
  [1, 1, null, 10, ['edit', 'log', 'disable', 'delete']],
  [1, 1, null, 100, ['edit', 'log', 'promote', 'disable', 'delete']],
  [1, 2, null, 10, ['edit', 'log', 'enable', 'delete']],
  [1, 3, null, 10, ['edit', 'log', 'delete']],
  [10, 1, null, 100, ['edit', 'log', 'demote', 'disable', 'delete']],
  [10, 1, null, 10, ['log']],
  [100, 1, null, 10, ['log']],
  [100, 1, null, 100, ['edit', 'log']],
  [1, 1, DELETED, 100, []],
])(
  'given a user of role %i, status %i, deleted %s, when seen by role %i, then %j can be done',
  (role, status, DeletedAt, viewer, actions) => {
    expect(userActions({ role, status, DeletedAt }, viewer)).toEqual(actions)
  },
)

test.each([
  ['a user', 1, 10, true],
  ['another administrator', 10, 10, false],
  ['an administrator, to root', 10, 100, true],
  ['another root, to root', 100, 100, true],
] as const)(
  'given %s, when looked at, then the sessions are shown: %s %s %s',
  (_, role, viewer, isSeen) => {
    const user = { id: 2, role, DeletedAt: null }
    expect(seesSessions(user, { id: 3, role: viewer })).toBe(isSeen)
    expect(
      seesSessions({ ...user, DeletedAt: '2026-01-01T00:00:00Z' }, { id: 3, role: viewer }),
    ).toBe(false)
    expect(seesSessions(user, { id: 2, role: viewer })).toBe(false)
    expect(seesSessions(user, null)).toBe(false)
  },
)
