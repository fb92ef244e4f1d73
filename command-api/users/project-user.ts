import { type Position, userStream } from '@tollgate/domain/event.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { userDecider } from '@tollgate/domain/user/decider.ts'
import type { User, UserStore } from '../identity/users.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import { type AggregateWriter, executeOn, loadAggregate } from '../aggregates/aggregate.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { StepRejected } from '../workflows/manager/step-rejected.ts'

export interface UserWriter extends AggregateWriter {
  readonly users: Pick<UserStore, 'touch' | 'project' | 'settle'>
  readonly ledger: Pick<AccountLedger, 'execute'>
}

/** `position` is that of the last event. */
export interface ProjectedUser {
  readonly user: User
  readonly position: Position
}

/**
 * Registers the user whose row is reserved, with the row's role, group and invitation, and projects the event. A
 * registered user is projected again, so a crash at any point is finished by calling this again.
 */
export async function registerUser(
  deps: UserWriter,
  id: number,
  cause: CommandCause,
): Promise<ProjectedUser> {
  const row = await deps.users.touch(id)
  if (row === null) throw new TypeError(`user ${id} has no row`)
  const { role, group, inviterId: inviter, invitation } = row
  const command = { type: 'RegisterUser', by: null, role, group, inviter, invitation } as const
  // The only refusal: an earlier attempt registered the user.
  await executeOn(
    deps,
    { stream: userStream(id), decider: userDecider, command },
    causeOfRow(id, cause),
  )
  const projected = await projectUser(deps, id, cause)
  if (projected === null) throw new TypeError(`user ${id} lost the row`)
  return projected
}

/**
 * Writes the state of a user's stream into their row and brings their account there: open, with its opening quota once,
 * and suspended or not. Null for a user without a row, or without events. Every step may be taken again.
 */
export async function projectUser(
  deps: UserWriter,
  id: number,
  cause: CommandCause,
): Promise<ProjectedUser | null> {
  for (let loaded = await loadUser(deps, id); ;) {
    const { state, head, at, position } = loaded
    if (state.status === 'unknown') return null
    const user = await deps.users.project(id, {
      role: state.role,
      group: state.group,
      isBanned: state.status === 'banned',
      deletedAt: state.status === 'deleted' ? new Date(at) : null,
      revision: head.revision,
    })
    if (user === null) return null
    const isStopped = state.status !== 'active'
    const account = await projectAccount(deps, user, isStopped, causeOfRow(id, cause))
    // A later event may have reached the account before this one: the last account command must be that of the last event.
    loaded = await loadUser(deps, id)
    if (loaded.head.revision === head.revision) {
      return { user: { ...user, isOpened: true }, position: Math.max(position, account) }
    }
  }
}

const loadUser = ({ store }: UserWriter, id: number) =>
  loadAggregate(store, userStream(id), userDecider)

/** Names the row that stands behind a user's registration and their account. */
const causeOfRow = (id: number, cause: CommandCause): CommandCause => ({
  ...cause,
  causationId: `identity.users/${id}`,
})

async function projectAccount(
  deps: UserWriter,
  user: User,
  isStopped: boolean,
  cause: CommandCause,
): Promise<Position> {
  if (!user.isOpened) await openAccount(deps, user, cause)
  const type = isStopped ? 'SuspendAccount' : 'ResumeAccount'
  const outcome = await deps.ledger.execute(user.id, { type }, cause)
  if (outcome.status === 'rejected') throw new StepRejected(outcome.rejection.reason)
  if (!user.isOpened) await deps.users.settle(user.id)
  return outcome.position
}

async function openAccount({ ledger }: UserWriter, user: User, cause: CommandCause): Promise<void> {
  await ledger.execute(user.id, { type: 'OpenAccount' }, cause)
  if (user.openingQuota <= 0) return
  const credited = await ledger.execute(
    user.id,
    {
      type: 'CreditQuota',
      amount: quota(user.openingQuota),
      source: user.openingSource,
      reason: '',
    },
    cause,
    // An earlier attempt, or the workflow manager at this very moment, may have credited it, too.
    { deduplicateFrom: { eventType: 'QuotaCredited' } },
  )
  if (credited.status === 'rejected') throw new StepRejected(credited.rejection.reason)
}
