import { type Position, userStream } from '@tollgate/domain/event.ts'
import { type Authority, type ChangeOfUser, userDecider } from '@tollgate/domain/user/decider.ts'
import type { Sessions } from '../identity/sessions.ts'
import type { User, UserChange, UserStore } from '../identity/users.ts'
import type { AccountLedger } from '../ledger/account-ledger.ts'
import { decideOn, loadAggregate } from '../ledger/aggregate.ts'
import type { CommandCause } from '../ledger/cause.ts'
import { alignUser, type UserWriter } from './align.ts'

export interface StandingDeps extends UserWriter {
  readonly users: UserStore
  readonly ledger: Pick<AccountLedger, 'execute' | 'inspect'>
  readonly sessions: Pick<Sessions, 'revokeAll'>
}

/** A change of role, ban, group or deletion without its authority, which is added here. */
export type StandingChange = ChangeOfUser extends infer Change
  ? Change extends ChangeOfUser
    ? Omit<Change, 'by'>
    : never
  : never

export type ChangedStanding =
  | { readonly status: 'done'; readonly user: User; readonly position: Position }
  | { readonly status: 'rejected'; readonly message: string }

/**
 * Changes what a user may do: asks the domain's rules, writes the row, then the events, and signs the user out where
 * the change must hold at once (all but a change of group).
 */
export async function changeStanding(
  deps: StandingDeps,
  user: User,
  change: StandingChange,
  by: Authority,
  cause: CommandCause,
): Promise<ChangedStanding> {
  const loaded = await loadAggregate(deps.store, userStream(user.id), userDecider)
  const decision = decideOn(deps.clock, userDecider, loaded, { ...change, by })
  if (decision.status === 'rejected')
    return { status: 'rejected', message: decision.rejection.message }
  if (decision.events.length === 0) return { status: 'done', user, position: loaded.position }
  const changed = await deps.users.update(user.id, rowChange(change, deps.clock.now()))
  if (changed === null) return { status: 'rejected', message: '用户不存在' }
  if (change.type !== 'ChangeUserGroup') await deps.sessions.revokeAll(user.id)
  return { status: 'done', user: changed, position: await alignUser(deps, changed, cause) }
}

/** What the domain's rules would refuse a change with; null when it would be done. */
export async function whyStandingStays(
  deps: StandingDeps,
  user: User,
  change: StandingChange,
  by: Authority,
): Promise<string | null> {
  const loaded = await loadAggregate(deps.store, userStream(user.id), userDecider)
  const decision = decideOn(deps.clock, userDecider, loaded, { ...change, by })
  return decision.status === 'rejected' ? decision.rejection.message : null
}

function rowChange(change: StandingChange, at: number): UserChange {
  switch (change.type) {
    case 'ChangeUserRole':
      return { role: change.role }
    case 'BanUser':
      return { isBanned: true }
    case 'ReinstateUser':
      return { isBanned: false }
    case 'ChangeUserGroup':
      return { group: change.group }
    case 'DeleteUser':
      return { deletedAt: new Date(at) }
    default:
      return change satisfies never
  }
}
