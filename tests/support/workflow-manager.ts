import {
  type WorkflowManager,
  startWorkflowManager,
} from '@tollgate/command-api/workflows/manager/workflow-manager.ts'
import { workflowRows } from '@tollgate/command-api/workflows/manager/workflow-rows.ts'
import type { Workflow } from '@tollgate/command-api/workflows/manager/workflow.ts'
import { singletonLease } from '@tollgate/infra/leases/singleton-lease.ts'
import type { CommandApiFixture } from './command-api.ts'

/** From here on what is decided is to be driven; a manager that starts later begins here. */
export async function beginDriving({ db, store }: CommandApiFixture): Promise<void> {
  await workflowRows(db).checkpoint({ position: await store.headPosition(), log: null })
}

/** The workflow manager of a process that lives; a step that fails fails the test. */
export const startManager = (
  fixture: CommandApiFixture,
  kinds: readonly Workflow[],
): Promise<WorkflowManager> =>
  startWorkflowManager({
    store: fixture.store,
    clock: fixture.clock,
    timelines: fixture.timelines,
    table: workflowRows(fixture.db),
    shareWork: singletonLease(fixture.clock),
    kinds,
    log: {
      warn: (facts, message) => {
        throw new Error(`${message}: ${JSON.stringify(facts)}`)
      },
    },
    every: { dueMs: 10, rowsMs: 1_000, stuckMs: 1_000 },
  })

/** Whether the manager has seen every event of a type, and nothing waits. */
export async function isAllDriven(
  { pool, db, store }: CommandApiFixture,
  eventType: string,
): Promise<boolean> {
  const table = workflowRows(db)
  const reached = await table.checkpoint({ position: await store.headPosition(), log: null })
  const { rows } = await pool.query<{ readonly left: string | number }>(
    `select count(*) as left from ledger.events where type = $1 and position > $2`,
    [eventType, reached.position],
  )
  return (await table.list(1)).total === 0 && Number(rows[0]?.left ?? 0) === 0
}
