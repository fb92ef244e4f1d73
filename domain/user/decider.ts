import { isNameHidden } from '../text.ts'
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

/** Commands to a user who exists. */
export type ChangeOfUser =
  | (Change & { readonly type: 'ChangeUserRole'; readonly role: Exclude<Role, 100> })
  | (Change & { readonly type: 'BanUser' })
  | (Change & { readonly type: 'ReinstateUser' })
  | (Change & { readonly type: 'ChangeUserGroup'; readonly group: string })
  | (Change & { readonly type: 'DeleteUser' })

interface Change {
  /** The user who gives the command; null = the system itself, which may. */
  readonly by: Authority | null
}

/** The user who gives a command. */
export interface Authority {
  readonly role: Role
  /** True when they act on their own account. */
  readonly isSelf: boolean
}

export interface UserRejection {
  readonly reason: UserRejectionReason
}

export type UserRejectionReason =
  | 'user-exists'
  | 'role-not-below-own'
  | 'user-unknown'
  | 'user-deleted'
  | 'user-not-below'
  | 'only-root-promotes'
  | 'already-administrator'
  | 'root-not-banned'
  | 'root-not-deleted'
  | 'root-not-leaving'
  | 'root-not-demoted'
  | 'already-ordinary'
  | 'group-name-length'
  | 'group-name-hidden'

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
    if (state.status !== 'unknown') return reject('user-exists')
    const { by, role, group, inviter, invitation } = command
    if (by !== null && role >= by.role) return reject('role-not-below-own')
    return decided({ type: 'UserRegistered', data: { at, role, group, inviter, invitation } })
  }
  if (state.status === 'unknown') return reject('user-unknown')
  if (state.status === 'deleted') return reject('user-deleted')
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
  if (by !== null && !mayActOn(by, user, command)) return reject('user-not-below')
  switch (command.type) {
    case 'ChangeUserRole':
      return command.role === ADMINISTRATOR ? promote(user, command.by, at) : demote(user, at)
    case 'BanUser':
      if (user.role === ROOT) return reject('root-not-banned')
      if (user.status === 'banned') return decided()
      return decided({ type: 'UserBanned', data: { at } })
    case 'ReinstateUser':
      if (user.status === 'active') return decided()
      return decided({ type: 'UserReinstated', data: { at } })
    case 'ChangeUserGroup':
      return changeGroup(user, command.group, at)
    case 'DeleteUser':
      if (user.role === ROOT) {
        return reject(by?.isSelf === true ? 'root-not-leaving' : 'root-not-deleted')
      }
      return decided({ type: 'UserDeleted', data: { at } })
    default:
      return command satisfies never
  }
}

const ROOT: Role = 100
const ADMINISTRATOR: Role = 10
/** Bytes of the wire contract's column. */
export const GROUP_NAME_BYTES_MAX = 64

/** Administrators act on users below themselves, root on all; every user may delete their own account. */
const mayActOn = (by: Authority, user: KnownUser, command: ChangeOfUser): boolean =>
  by.role === ROOT || by.role > user.role || (by.isSelf && command.type === 'DeleteUser')

function promote(user: KnownUser, by: Authority | null, at: number): UserDecision {
  if (by !== null && by.role !== ROOT) return reject('only-root-promotes')
  if (user.role >= ADMINISTRATOR) return reject('already-administrator')
  return decided({ type: 'UserRoleChanged', data: { at, role: ADMINISTRATOR } })
}

function demote(user: KnownUser, at: number): UserDecision {
  if (user.role === ROOT) return reject('root-not-demoted')
  if (user.role === 1) return reject('already-ordinary')
  return decided({ type: 'UserRoleChanged', data: { at, role: 1 } })
}

function changeGroup(user: KnownUser, group: string, at: number): UserDecision {
  if (group === '' || new TextEncoder().encode(group).length > GROUP_NAME_BYTES_MAX) {
    return reject('group-name-length')
  }
  if (isNameHidden(group)) return reject('group-name-hidden')
  if (group === user.group) return decided()
  return decided({ type: 'UserGroupChanged', data: { at, group } })
}

const reject = (reason: UserRejectionReason): UserDecision => rejected({ reason })
