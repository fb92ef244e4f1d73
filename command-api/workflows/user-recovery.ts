import { numberOfStream } from '@tollgate/domain/event.ts'
import type { UserEvent } from '@tollgate/domain/user/events.ts'
import type { UserStore } from '../identity/users.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { Workflow } from './manager/workflow.ts'
import { ORPHAN_AGE_SECONDS } from './orphan-recovery.ts'
import { projectUser, registerUser, type UserWriter } from '../users/project-user.ts'

export interface UserRecoveryDeps extends UserWriter {
  readonly users: UserWriter['users'] & Pick<UserStore, 'byId' | 'pendingFor' | 'free'>
}

const EVENT_TYPES: readonly UserEvent['type'][] = [
  'UserRegistered',
  'UserRoleChanged',
  'UserBanned',
  'UserReinstated',
  'UserGroupChanged',
  'UserDeleted',
]

/** A row that was touched this long ago has no living writer any more. */
const GRACE_SECONDS = 60
/** Rows taken on by one search; the next finds the rest. */
const ROWS_AT_ONCE_MAX = 1_000
const TABLE = 'identity.users'
const CAUSE: CommandCause = { actor: 'system', correlationId: 'user-row', causationId: null }

/**
 * Projects users' events onto rows and accounts after any crash, and frees reserved rows by age (decision 41). A user
 * whom a log that was put back has lost is registered again.
 */
export const userRecovery = (
  deps: UserRecoveryDeps,
  graceSeconds = GRACE_SECONDS,
  orphanSeconds = ORPHAN_AGE_SECONDS,
): readonly Workflow[] => [
  {
    from: 'event',
    kind: 'user-projection',
    streamPrefixes: ['user-'],
    eventTypes: EVENT_TYPES,
    isDecidedBy: () => true,
    steps: ({ stream, metadata: { correlationId } }) => [
      {
        name: 'project the user',
        act: () => projectUser(deps, numberOfStream(stream), { ...CAUSE, correlationId }),
      },
    ],
  },
  {
    from: 'row',
    kind: 'user-row',
    find: async () => {
      const ids = await deps.users.pendingFor(
        { registered: graceSeconds, reserved: orphanSeconds },
        ROWS_AT_ONCE_MAX,
      )
      return ids.map((id) => `${TABLE}/${id}`)
    },
    steps: (name) => [
      {
        name: 'bring the row to the log',
        act: () => recoverRow(deps, Number(name.slice(TABLE.length + 1)), orphanSeconds),
      },
    ],
  },
]

async function recoverRow(
  deps: UserRecoveryDeps,
  id: number,
  orphanSeconds: number,
): Promise<void> {
  // The row may say that its account is open, and be pending all the same.
  if ((await projectUser(deps, id, CAUSE)) !== null) return deps.users.settle(id)
  if (await deps.users.free(id, orphanSeconds)) return
  const registered = await deps.users.byId(id, { isDeletedWanted: true })
  if (registered !== null) await registerUser(deps, id, CAUSE)
}
