import { type Position, userStream } from '@tollgate/domain/event.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { type UserCommand, userDecider } from '@tollgate/domain/user/decider.ts'
import type { UserState } from '@tollgate/domain/user/state.ts'
import type { User, UserStore } from '../identity/users.ts'
import type { AccountLedger } from '../ledger/account-ledger.ts'
import { type AggregateWriter, loadAggregate, executeOn } from '../ledger/aggregate.ts'
import type { CommandCause } from '../ledger/cause.ts'

export interface UserWriter extends AggregateWriter {
  readonly users: Pick<UserStore, 'confirm' | 'byId'>
  readonly ledger: Pick<AccountLedger, 'execute'>
}

/**
 * Brings the ledger to where a user's row says it should be, step by step: registered with this role and group, banned
 * or not, deleted or not, the account open, with its opening quota once, and suspended or not. Every step may have been
 * taken before, so a crash at any point is finished by calling this again. Answers the position of the last event.
 */
export async function alignUser(
  deps: UserWriter,
  user: User,
  cause: CommandCause,
): Promise<Position> {
  const named = { ...cause, causationId: causationOf(user) }
  let row = user
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const position = Math.max(
      await alignUserStream(deps, row, named),
      await alignAccount(deps, row, named),
    )
    if (await deps.users.confirm(row)) return position
    // Somebody changed the row meanwhile: whoever comes last must leave the events where the row is now.
    const present = await deps.users.byId(user.id, { isDeletedWanted: true })
    if (present === null) return position
    row = present
  }
  throw new UserMisaligned(user.id, 'the row keeps changing')
}

/** Each further attempt is another's change in the same moment. */
const ATTEMPTS_MAX = 10

/** Names the row that stands behind a user's events. */
const causationOf = (user: User): string => `identity.users/${user.id}`

async function alignUserStream(deps: UserWriter, user: User, cause: CommandCause) {
  let refusal = ''
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const taken = await takeSteps(deps, user, cause)
    if ('position' in taken) return taken.position
    // Somebody may be taking the same steps: what they have done is not asked for again.
    refusal = taken.refusal
  }
  throw new UserMisaligned(user.id, refusal)
}

async function takeSteps(
  deps: UserWriter,
  user: User,
  cause: CommandCause,
): Promise<{ readonly position: Position } | { readonly refusal: string }> {
  const stream = userStream(user.id)
  const { state, position } = await loadAggregate(deps.store, stream, userDecider)
  let latest = position
  for (const command of commandsBetween(state, user)) {
    const outcome = await executeOn(deps, stream, userDecider, command, cause)
    if (outcome.status === 'rejected') return { refusal: outcome.rejection.reason }
    latest = outcome.position
  }
  return { position: latest }
}

function commandsBetween(state: UserState, user: User): readonly UserCommand[] {
  const { role, group, isBanned, inviterId: inviter, invitation } = user
  const commands: UserCommand[] = []
  if (state.status === 'deleted') return commands
  if (state.status === 'unknown') {
    commands.push({ type: 'RegisterUser', by: null, role, group, inviter, invitation })
  } else {
    if (state.role !== role && role !== 100) {
      commands.push({ type: 'ChangeUserRole', by: null, role })
    }
    if (state.group !== group) commands.push({ type: 'ChangeUserGroup', by: null, group })
  }
  if (isBanned) commands.push({ type: 'BanUser', by: null })
  else if (state.status === 'banned') commands.push({ type: 'ReinstateUser', by: null })
  if (user.deletedAt !== null) commands.push({ type: 'DeleteUser', by: null })
  return commands
}

async function alignAccount(deps: UserWriter, user: User, cause: CommandCause) {
  const { ledger } = deps
  if (!user.isOpened) await openAccount(deps, user, cause)
  const isStopped = user.isBanned || user.deletedAt !== null
  const outcome = await ledger.execute(
    user.id,
    { type: isStopped ? 'SuspendAccount' : 'ResumeAccount' },
    cause,
  )
  if (outcome.status === 'rejected') throw new UserMisaligned(user.id, outcome.rejection.reason)
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
    // An earlier attempt, or the process manager at this very moment, may have credited it, too.
    { onlyOnceFrom: { eventType: 'QuotaCredited' } },
  )
  if (credited.status === 'rejected') throw new UserMisaligned(user.id, credited.rejection.reason)
}

/** A row asks for what its stream refuses: somebody changed both at once. The process manager tries again from the present row. */
class UserMisaligned extends Error {
  readonly code = 'USER_MISALIGNED'
  readonly retryable = true
  constructor(user: number, reason: string) {
    super(`the events of user ${user} could not be brought in line with the row: ${reason}`)
    this.name = 'UserMisaligned'
  }
}
