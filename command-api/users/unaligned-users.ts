import type { UserStore } from '../identity/users.ts'
import type { CommandCause } from '../ledger/cause.ts'
import type { RowKind } from '../ledger/process-manager/process-kind.ts'
import { alignUser, type UserWriter } from './align.ts'

export interface UnalignedUserDeps extends UserWriter {
  readonly users: Pick<UserStore, 'byId' | 'confirm' | 'pendingFor'>
}

/** A row that was written ahead of its event this long ago is nobody's work any more. */
const GRACE_SECONDS = 60
/** Rows taken on by one search; the next finds the rest. */
const ROWS_AT_ONCE_MAX = 1_000
const TABLE = 'identity.users'
const CAUSE: CommandCause = { actor: 'system', correlationId: 'user-row', causationId: null }

/** Brings the events of users to where their rows say, which a crash has left between the two (decision 41). */
export const unalignedUsers = (deps: UnalignedUserDeps, graceSeconds = GRACE_SECONDS): RowKind => ({
  from: 'row',
  kind: 'user-row',
  find: async () => {
    const rows = await deps.users.pendingFor(graceSeconds, ROWS_AT_ONCE_MAX)
    return rows.map(({ id }) => `${TABLE}/${id}`)
  },
  steps: (name) => [
    {
      name: 'bring the events to the row',
      act: () => alignPending(deps, Number(name.slice(TABLE.length + 1))),
    },
  ],
})

async function alignPending(deps: UnalignedUserDeps, id: number): Promise<void> {
  const user = await deps.users.byId(id, { isDeletedWanted: true })
  if (user?.isPending === true) await alignUser(deps, user, CAUSE)
}
