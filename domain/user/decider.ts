import { whyNameHidden } from '../text.ts'
import type { Decider, Decision, DecisionContext } from '../decision.ts'
import { decided, rejected } from '../decision.ts'
import type { InvitationRewards, Role, UserEvent } from './events.ts'
import type { KnownUser, UserState } from './state.ts'
import { NO_USER } from './state.ts'

export type UserCommand =
  | {
      readonly type: 'RegisterUser'
      readonly by: Authority | null
      readonly role: Role
      readonly group: string
      readonly inviter: number | null
      readonly invitation: InvitationRewards | null
    }
  | ChangeOfUser

/** What can be done to a user who is there. */
export type ChangeOfUser =
  | (Change & { readonly type: 'ChangeUserRole'; readonly role: Exclude<Role, 100> })
  | (Change & { readonly type: 'BanUser' })
  | (Change & { readonly type: 'ReinstateUser' })
  | (Change & { readonly type: 'ChangeUserGroup'; readonly group: string })
  | (Change & { readonly type: 'DeleteUser' })

interface Change {
  /** Who wants it; null = the system itself, which may. */
  readonly by: Authority | null
}

/** The one who commands. */
export interface Authority {
  readonly role: Role
  /** True when they act on their own account. */
  readonly isSelf: boolean
}

/** `message` is fit to be shown to the one who commands. */
export interface UserRejection {
  readonly reason: UserRejectionReason
  readonly message: string
}

export type UserRejectionReason =
  | 'user-exists'
  | 'role-not-below-own'
  | 'user-unknown'
  | 'user-deleted'
  | 'user-not-below'
  | 'only-root-promotes'
  | 'already-administrator'
  | 'root-stays'
  | 'already-ordinary'
  | 'group-name-invalid'

type UserDecision = Decision<UserEvent, UserRejection>

/** Decides a stream `user-<id>`. */
export const userDecider: Decider<UserState, UserCommand, UserEvent, UserRejection> = {
  initial: NO_USER,
  decide: decideUser,
  evolve: evolveUser,
}

export function decideUser(
  state: UserState,
  command: UserCommand,
  { at }: DecisionContext,
): UserDecision {
  if (command.type === 'RegisterUser') {
    if (state.status !== 'unknown') return reject('user-exists', '用户名已存在，或已注销')
    const { by, role, group, inviter, invitation } = command
    if (by !== null && role >= by.role) {
      return reject('role-not-below-own', '无法创建权限大于等于自己的用户')
    }
    return decided({ type: 'UserRegistered', data: { at, role, group, inviter, invitation } })
  }
  if (state.status === 'unknown') return reject('user-unknown', '用户不存在')
  if (state.status === 'deleted') return reject('user-deleted', '用户已注销')
  return decideKnown(state, command, at)
}

export function evolveUser(state: UserState, event: UserEvent): UserState {
  if (event.type === 'UserRegistered') {
    const { role, group, inviter } = event.data
    return { status: 'active', role, group, inviter }
  }
  if (state.status === 'unknown') return state
  switch (event.type) {
    case 'UserRoleChanged':
      return { ...state, role: event.data.role }
    case 'UserBanned':
      return { ...state, status: 'banned' }
    case 'UserReinstated':
      return { ...state, status: 'active' }
    case 'UserGroupChanged':
      return { ...state, group: event.data.group }
    case 'UserDeleted':
      return { ...state, status: 'deleted' }
    default:
      return event satisfies never
  }
}

function decideKnown(user: KnownUser, command: ChangeOfUser, at: number): UserDecision {
  const { by } = command
  if (by !== null && !mayActOn(by, user, command)) {
    return reject('user-not-below', '无权更新同权限等级或更高权限等级的用户信息')
  }
  switch (command.type) {
    case 'ChangeUserRole':
      return command.role === ADMINISTRATOR ? promote(user, command.by, at) : demote(user, at)
    case 'BanUser':
      if (user.role === ROOT) return reject('root-stays', '无法禁用超级管理员用户')
      if (user.status === 'banned') return decided()
      return decided({ type: 'UserBanned', data: { at } })
    case 'ReinstateUser':
      if (user.status === 'active') return decided()
      return decided({ type: 'UserReinstated', data: { at } })
    case 'ChangeUserGroup':
      return changeGroup(user, command.group, at)
    case 'DeleteUser':
      if (user.role === ROOT) {
        return reject('root-stays', by?.isSelf === true ? CANNOT_LEAVE : CANNOT_DELETE)
      }
      return decided({ type: 'UserDeleted', data: { at } })
    default:
      return command satisfies never
  }
}

const ROOT: Role = 100
const ADMINISTRATOR: Role = 10
const CANNOT_LEAVE = '不能删除超级管理员账户'
const CANNOT_DELETE = '无法删除超级管理员用户'
/** Bytes of the wire contract's column. */
const GROUP_NAME_BYTES_MAX = 64

/** Administrators act on users below themselves, root on everybody; everybody may delete their own account. */
const mayActOn = (by: Authority, user: KnownUser, command: ChangeOfUser): boolean =>
  by.role === ROOT || by.role > user.role || (by.isSelf && command.type === 'DeleteUser')

function promote(user: KnownUser, by: Authority | null, at: number): UserDecision {
  if (by !== null && by.role !== ROOT) {
    return reject('only-root-promotes', '普通管理员用户无法提升其他用户为管理员')
  }
  if (user.role >= ADMINISTRATOR) return reject('already-administrator', '该用户已经是管理员')
  return decided({ type: 'UserRoleChanged', data: { at, role: ADMINISTRATOR } })
}

function demote(user: KnownUser, at: number): UserDecision {
  if (user.role === ROOT) return reject('root-stays', '无法降级超级管理员用户')
  if (user.role === 1) return reject('already-ordinary', '该用户已经是普通用户')
  return decided({ type: 'UserRoleChanged', data: { at, role: 1 } })
}

function changeGroup(user: KnownUser, group: string, at: number): UserDecision {
  if (group === '' || new TextEncoder().encode(group).length > GROUP_NAME_BYTES_MAX) {
    return reject('group-name-invalid', `分组名称不能为空，且不能超过 ${GROUP_NAME_BYTES_MAX} 字节`)
  }
  const hidden = whyNameHidden('分组名称', group)
  if (hidden !== null) return reject('group-name-invalid', hidden)
  if (group === user.group) return decided()
  return decided({ type: 'UserGroupChanged', data: { at, group } })
}

const reject = (reason: UserRejectionReason, message: string): UserDecision =>
  rejected({ reason, message })
