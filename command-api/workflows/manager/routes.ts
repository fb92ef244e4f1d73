import { z } from 'zod'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type ApiRoute, failure, route } from '../../http-contract/api-route.ts'
import { textInPath } from '../../http/query.ts'
import { STUCK_ATTEMPTS } from './workflow-manager.ts'
import type { PendingWorkflow, WorkflowTable } from './workflow-table.ts'

export interface WorkflowRouteDeps {
  readonly table: Pick<WorkflowTable, 'list' | 'retry'>
  readonly clock: Pick<Clock, 'now'>
}

/** Processes that one answer lists; more than this wait only when something is wrong for all of them alike. */
const LISTED_MAX = 200

const processAnswer = z.strictObject({
  id: z.string(),
  kind: z.string(),
  stream: z.string().nullable(),
  revision: z.int().nullable(),
  step: z.string(),
  attempts: z.int(),
  is_stuck: z.boolean(),
  last_error: z.string(),
  since: z.int(),
  age_seconds: z.int(),
  next_attempt_at: z.int(),
})
const EXAMPLE_PROCESS: z.output<typeof processAnswer> = {
  id: 'quota-adjustment:0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
  kind: 'quota-adjustment',
  stream: 'account-7',
  revision: 12,
  step: 'notify the user',
  attempts: 2,
  is_stuck: false,
  last_error: '',
  since: 1_770_120_000,
  age_seconds: 30,
  next_attempt_at: 1_770_120_040,
}

/** Work across streams that is not done yet, and a way to have it tried at once. */
export const workflowRoutes = ({ table, clock }: WorkflowRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/ledger/processes',
    access: 'admin',
    summary: 'Work across streams that waits, those with most failed attempts first',
    answer: { data: z.strictObject({ items: z.array(processAnswer), total: z.int() }) },
    example: { data: { items: [EXAMPLE_PROCESS], total: 1 } },
    handle: async () => {
      const { processes, total } = await table.list(LISTED_MAX)
      const now = clock.now()
      return { data: { items: processes.map((process) => entityOf(process, now)), total } }
    },
  }),
  route({
    method: 'POST',
    path: '/api/ledger/processes/:id/retry',
    access: 'admin',
    summary: 'Try a waiting process again at once',
    params: textInPath('Id of the waiting process, from the list of processes'),
    answer: {},
    example: { params: { id: EXAMPLE_PROCESS.id } },
    handle: async ({ params }) =>
      (await table.retry(params.id, clock.now()))
        ? {}
        : failure('该流程不存在或已经完成，请刷新列表'),
  }),
]

const entityOf = (process: PendingWorkflow, now: number) => ({
  id: process.id,
  kind: process.kind,
  /** Where the deciding event stands; null for work that a row left behind. */
  stream: process.decision?.stream ?? null,
  revision: process.decision?.revision ?? null,
  step: process.step,
  attempts: process.attempts,
  is_stuck: process.attempts >= STUCK_ATTEMPTS,
  last_error: process.lastError,
  since: Math.floor(process.since / 1000),
  age_seconds: Math.max(0, Math.floor((now - process.since) / 1000)),
  next_attempt_at: Math.floor(process.nextAttemptAt / 1000),
})
