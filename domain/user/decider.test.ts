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

const NOT_BELOW = '无权更新同权限等级或更高权限等级的用户信息'

describe('deciding a user', () => {
  test.each<readonly [string, UserState, UserCommand, string]>([
    ['a user who is there', given(registered(1)), register(1, null), '用户名已存在，或已注销'],
    ['nobody', given(), register(10, admin), '无法创建权限大于等于自己的用户'],
    ['nobody', given(), register(100, root), '无法创建权限大于等于自己的用户'],
    ['nobody', given(), ban(root), '用户不存在'],
    [
      'a deleted user',
      given(registered(1), { type: 'UserDeleted', data: { at } }),
      reinstate(root),
      '用户已注销',
    ],
    ['an equal', given(registered(10)), ban(admin), NOT_BELOW],
    ['oneself', given(registered(10)), ban(self(10)), NOT_BELOW],
    ['one above', given(registered(100)), remove(admin), NOT_BELOW],
    ['an ordinary user commanding', given(registered(1)), regroup(user, 'vip'), NOT_BELOW],
    [
      'an admin promoting',
      given(registered(1)),
      promote(admin),
      '普通管理员用户无法提升其他用户为管理员',
    ],
    ['an admin', given(registered(10)), promote(root), '该用户已经是管理员'],
    ['root', given(registered(100)), promote(root), '该用户已经是管理员'],
    ['root', given(registered(100)), demote(root), '无法降级超级管理员用户'],
    ['root', given(registered(100)), ban(root), '无法禁用超级管理员用户'],
    ['root', given(registered(100)), ban(null), '无法禁用超级管理员用户'],
    ['root', given(registered(100)), remove(root), '无法删除超级管理员用户'],
    ['root', given(registered(100)), remove(self(100)), '不能删除超级管理员账户'],
    ['an ordinary user', given(registered(1)), demote(root), '该用户已经是普通用户'],
    [
      'no group name',
      given(registered(1)),
      regroup(root, ''),
      '分组名称不能为空，且不能超过 64 字节',
    ],
    [
      'a group name of two lines',
      given(registered(1)),
      regroup(root, 'vip\nroot'),
      '分组名称不能包含换行、控制字符或不可见字符',
    ],
    [
      'a long group name',
      given(registered(1)),
      regroup(root, '好'.repeat(22)),
      '分组名称不能为空，且不能超过 64 字节',
    ],
  ])('given %s, when commanded, then it is refused', (_, state, command, message) => {
    const decision = decideUser(state, command, context)
    expect(decision.status === 'rejected' ? decision.rejection.message : null).toBe(message)
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
