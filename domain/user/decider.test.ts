import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Authority, UserCommand } from './decider.ts'
import { decideUser, evolveUser, userDecider } from './decider.ts'
import type { Role, UserEvent } from './events.ts'
import type { UserState } from './state.ts'

const at = 9
const context = { at, nextRevision: 0 }
const registered = (role: Role): UserEvent => ({
  type: 'UserRegistered',
  data: { at: 1, role, group: 'default', inviter: null, invitation: null },
})
const given = (...events: readonly UserEvent[]): UserState =>
  events.reduce(evolveUser, userDecider.initial)

const root: Authority = { role: 100, isSelf: false }
const admin: Authority = { role: 10, isSelf: false }
const user: Authority = { role: 1, isSelf: false }
const self = (role: Role): Authority => ({ role, isSelf: true })

const register = (role: Role, by: Authority | null): UserCommand => ({
  type: 'RegisterUser',
  by,
  role,
  group: 'default',
  inviter: 3,
  invitation: { inviteeReward: 5, inviterReward: 0 },
})
const promote = (by: Authority | null): UserCommand => ({
  type: 'ChangeUserRole',
  by,
  role: 10,
})
const demote = (by: Authority | null): UserCommand => ({ type: 'ChangeUserRole', by, role: 1 })
const ban = (by: Authority | null): UserCommand => ({ type: 'BanUser', by })
const reinstate = (by: Authority | null): UserCommand => ({ type: 'ReinstateUser', by })
const regroup = (by: Authority | null, group: string): UserCommand => ({
  type: 'ChangeUserGroup',
  by,
  group,
})
const remove = (by: Authority | null): UserCommand => ({ type: 'DeleteUser', by })

describe('deciding a user', () => {
  test.each<readonly [string, UserState, UserCommand, string]>([
    ['a user who is there', given(registered(1)), register(1, null), 'user-exists'],
    ['nobody', given(), register(10, admin), 'role-not-below-own'],
    ['nobody', given(), register(100, root), 'role-not-below-own'],
    ['nobody', given(), ban(root), 'user-unknown'],
    [
      'a deleted user',
      given(registered(1), { type: 'UserDeleted', data: { at } }),
      reinstate(root),
      'user-deleted',
    ],
    ['an equal', given(registered(10)), ban(admin), 'user-not-below'],
    ['oneself', given(registered(10)), ban(self(10)), 'user-not-below'],
    ['one above', given(registered(100)), remove(admin), 'user-not-below'],
    ['an ordinary user commanding', given(registered(1)), regroup(user, 'vip'), 'user-not-below'],
    ['an admin promoting', given(registered(1)), promote(admin), 'only-root-promotes'],
    ['an admin', given(registered(10)), promote(root), 'already-administrator'],
    ['root', given(registered(100)), promote(root), 'already-administrator'],
    ['root', given(registered(100)), demote(root), 'root-not-demoted'],
    ['root', given(registered(100)), ban(root), 'root-not-banned'],
    ['root', given(registered(100)), ban(null), 'root-not-banned'],
    ['root', given(registered(100)), remove(root), 'root-not-deleted'],
    ['root', given(registered(100)), remove(self(100)), 'root-not-leaving'],
    ['an ordinary user', given(registered(1)), demote(root), 'already-ordinary'],
    ['no group name', given(registered(1)), regroup(root, ''), 'group-name-length'],
    [
      'a group name of two lines',
      given(registered(1)),
      regroup(root, 'vip\nroot'),
      'group-name-hidden',
    ],
    [
      'a long group name',
      given(registered(1)),
      regroup(root, '好'.repeat(22)),
      'group-name-length',
    ],
  ])('given %s, when commanded, then it is refused', (_, state, command, reason) => {
    const decision = decideUser(state, command, context)
    expect(decision.status === 'rejected' ? decision.rejection.reason : null).toBe(reason)
  })

  test.each<readonly [string, UserState, UserCommand, readonly UserEvent[]]>([
    [
      'setup',
      given(),
      register(100, null),
      [
        {
          type: 'UserRegistered',
          data: {
            at,
            role: 100,
            group: 'default',
            inviter: 3,
            invitation: { inviteeReward: 5, inviterReward: 0 },
          },
        },
      ],
    ],
    [
      'an admin adding',
      given(),
      register(1, admin),
      [
        {
          type: 'UserRegistered',
          data: {
            at,
            role: 1,
            group: 'default',
            inviter: 3,
            invitation: { inviteeReward: 5, inviterReward: 0 },
          },
        },
      ],
    ],
    [
      'root promoting',
      given(registered(1)),
      promote(root),
      [{ type: 'UserRoleChanged', data: { at, role: 10 } }],
    ],
    [
      'root demoting',
      given(registered(10)),
      demote(root),
      [{ type: 'UserRoleChanged', data: { at, role: 1 } }],
    ],
    ['an admin banning', given(registered(1)), ban(admin), [{ type: 'UserBanned', data: { at } }]],
    [
      'a user banned already',
      given(registered(1), { type: 'UserBanned', data: { at } }),
      ban(admin),
      [],
    ],
    [
      'a banned user',
      given(registered(1), { type: 'UserBanned', data: { at } }),
      reinstate(admin),
      [{ type: 'UserReinstated', data: { at } }],
    ],
    ['an active user', given(registered(1)), reinstate(admin), []],
    [
      'another group',
      given(registered(1)),
      regroup(admin, 'vip'),
      [{ type: 'UserGroupChanged', data: { at, group: 'vip' } }],
    ],
    ['the same group', given(registered(1)), regroup(admin, 'default'), []],
    [
      'root regrouping themself',
      given(registered(100)),
      regroup(self(100), 'vip'),
      [{ type: 'UserGroupChanged', data: { at, group: 'vip' } }],
    ],
    [
      'a user leaving',
      given(registered(1)),
      remove(self(1)),
      [{ type: 'UserDeleted', data: { at } }],
    ],
    [
      'an admin leaving',
      given(registered(10)),
      remove(self(10)),
      [{ type: 'UserDeleted', data: { at } }],
    ],
  ])('given %s, when commanded, then it is so', (_, state, command, events) => {
    expect(decideUser(state, command, context)).toEqual({ status: 'decided', events })
  })

  test('given nobody, when an event about them is folded, then there is still nobody', () => {
    expect(given({ type: 'UserBanned', data: { at } })).toEqual(userDecider.initial)
  })

  test('given any commands, when their events are folded again, then the state is the same, and root stays', () => {
    const by = fc.constantFrom<Authority | null>(
      null,
      root,
      admin,
      user,
      self(1),
      self(10),
      self(100),
    )
    const commands = by.chain((by) =>
      fc.constantFrom(
        promote(by),
        demote(by),
        ban(by),
        reinstate(by),
        regroup(by, 'vip'),
        remove(by),
      ),
    )
    const roles = fc.constantFrom<Role>(1, 10, 100)
    fc.assert(
      fc.property(roles, fc.array(commands, { maxLength: 30 }), (role, sequence) => {
        const log: UserEvent[] = [registered(role)]
        let state = given(...log)
        for (const command of sequence) {
          const decision = decideUser(state, command, context)
          const events = decision.status === 'decided' ? decision.events : []
          log.push(...events)
          state = events.reduce(evolveUser, state)
        }
        expect(given(...log)).toEqual(state)
        const kept = role === 100 ? { status: 'active', role: 100 } : {}
        expect(state).toMatchObject(kept)
      }),
    )
  })
})
