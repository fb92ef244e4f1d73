import { userStream } from '@tollgate/domain/event.ts'
import { type Authority, type ChangeOfUser, userDecider } from '@tollgate/domain/user/decider.ts'
import { userRejectionMessage } from '../http/rejection-messages.ts'
import type { Sessions } from '../identity/sessions.ts'
import type { User, UserStore } from '../identity/users.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import {
  type AggregateOptions,
  decideOn,
  executeOn,
  loadAggregate,
} from '../aggregates/aggregate.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { type ProjectedUser, projectUser, type UserWriter } from './project-user.ts'

export interface UserStatusDeps extends UserWriter {
  readonly users: UserStore
  readonly ledger: Pick<AccountLedger, 'execute' | 'inspect'>
  readonly sessions: Pick<Sessions, 'revokeAll'>
}

/** A change of role, ban, group or deletion without its authority, which is added here. */
export type UserStatusChange = ChangeOfUser extends infer Change
  ? Change extends ChangeOfUser
    ? Omit<Change, 'by'>
    : never
  : never

export type ChangedUserStatus =
  | ({ readonly status: 'done' } & ProjectedUser)
  | { readonly status: 'rejected'; readonly message: string }

/** A change of a user's status, and by what right it is made. */
export interface WantedUserStatus {
  readonly user: User
  readonly change: UserStatusChange
  readonly by: Authority
}

/**
 * Changes a user's rights: appends the event, projects it, and signs the user out where the change must hold at once
 * (all but a change of group).
 */
export async function changeUserStatus(
  deps: UserStatusDeps,
  { user, change, by }: WantedUserStatus,
  cause: CommandCause,
  options?: AggregateOptions,
): Promise<ChangedUserStatus> {
  const wanted = { ...change, by }
  const outcome = await executeOn(
    deps,
    { stream: userStream(user.id), decider: userDecider, command: wanted },
    cause,
    options,
  )
  if (outcome.status === 'rejected') {
    return { status: 'rejected', message: userRejectionMessage(outcome.rejection) }
  }
  const projected = await projectUser(deps, user.id, cause)
  if (projected === null)
    return { status: 'rejected', message: userRejectionMessage({ reason: 'user-unknown' }) }
  const signsOut = outcome.events.length > 0 && change.type !== 'ChangeUserGroup'
  if (signsOut) await deps.sessions.revokeAll(user.id)
  return { status: 'done', ...projected }
}

/** The reason why the domain's rules would refuse a change; null when it would be done. */
export async function userStatusProblem(
  deps: UserStatusDeps,
  user: User,
  change: UserStatusChange,
  by: Authority,
): Promise<string | null> {
  const loaded = await loadAggregate(deps.store, userStream(user.id), userDecider)
  const decision = decideOn(deps.clock, userDecider, loaded, { ...change, by })
  return decision.status === 'rejected' ? userRejectionMessage(decision.rejection) : null
}
