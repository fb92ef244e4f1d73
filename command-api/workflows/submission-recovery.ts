import { type TaskId, taskId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { RowRecovery } from './manager/workflow.ts'
import { findCharge } from '../tasks/find-charge.ts'
import type { TaskPayloads } from '../tasks/payloads.ts'
import type { TaskService } from '../tasks/task-service.ts'

export interface SubmissionRecoveryDeps {
  readonly store: Pick<EventStore, 'readStream'>
  readonly clock: Pick<Clock, 'now'>
  readonly payloads: Pick<TaskPayloads, 'find' | 'pendingFor' | 'remove'>
  readonly tasks: Pick<TaskService, 'submit'>
}

/** A row that is pending for so long has no living writer any more. */
const GRACE_SECONDS = 60
const ROWS_AT_ONCE_MAX = 1_000
/** A charge that went out is durable in the journal and arrives; after a day it never went out. */
const CHARGE_PATIENCE_MS = 86_400_000

const ROWS = 'identity.task_payloads/'

/**
 * Finishes submissions that a crash cut off after upstream had accepted the task: one whose charge is in the ledger (or
 * that is free) is submitted, so that its failure is refunded; one whose charge never came is taken back.
 */
export const submissionRecovery = (
  deps: SubmissionRecoveryDeps,
  graceSeconds = GRACE_SECONDS,
): RowRecovery => ({
  from: 'row',
  kind: 'task-row',
  find: async () => {
    const rows = await deps.payloads.pendingFor(graceSeconds, ROWS_AT_ONCE_MAX)
    return rows.map(({ id }) => ROWS + id)
  },
  steps: (id) => [{ name: 'submit or take back the task', act: () => finish(deps, idIn(id)) }],
})

async function finish(
  { store, clock, payloads, tasks }: SubmissionRecoveryDeps,
  id: TaskId,
): Promise<void> {
  const payload = await payloads.find(id)
  if (payload === null || !payload.isPending) return
  const { charge } = payload.submission
  const acceptedAt = payload.createdAt.getTime()
  if (charge === null || (await findCharge(store, charge, acceptedAt)) !== null) {
    await tasks.submit(id, CAUSE)
    return
  }
  // The next search finds the row again.
  if (clock.now() - acceptedAt >= CHARGE_PATIENCE_MS) await payloads.remove(id)
}

const CAUSE: CommandCause = { actor: 'system', correlationId: 'sweeper', causationId: null }

const idIn = (name: string): TaskId => taskId(Number(name.slice(ROWS.length)))
