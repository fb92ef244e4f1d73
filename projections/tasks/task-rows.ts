import { numberOfStream } from '@tollgate/domain/event.ts'
import type { TaskPlatform, TaskSubmission } from '@tollgate/domain/task/events.ts'
import { evolveTask } from '@tollgate/domain/task/evolve.ts'
import {
  isSubmitted,
  type KnownTask,
  NO_TASK,
  type TaskState,
} from '@tollgate/domain/task/state.ts'
import { z } from 'zod'
import { keyText } from '../runner/columns.ts'
import { upsertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { Projector } from '../runner/projector.ts'

/** `submission` is the JSON of TaskSubmission; the columns beside it are what lists are filtered and ordered by. */
const tables = `
  create table tasks (
    task_id bigint primary key,
    submission text not null,
    user_id bigint not null,
    channel bigint not null,
    upstream_id text collate "C" not null,
    action text collate "C" not null,
    quota bigint not null,
    status text collate "C" not null,
    percent smallint not null,
    submitted_at bigint not null,
    started_at bigint,
    ended_at bigint,
    updated_at bigint not null,
    failure text
  )`

const indexes = `
  create index on tasks (user_id, task_id);
  create index on tasks (channel, task_id);
  create index on tasks (upstream_id);
  create index on tasks (submitted_at, task_id);
  create index on tasks (task_id) where ended_at is null`

const comparison = `
  select 'user ' || user_id as key, jsonb_build_object('rows', count(*), 'quota', sum(quota),
    'succeeded', count(*) filter (where status = 'succeeded'),
    'failed', count(*) filter (where status = 'failed')) as figures
  from {tasks} group by user_id`

const eventTypes = ['TaskSubmitted', 'TaskProgressed', 'TaskSucceeded', 'TaskFailed'] as const

/** A row of `drawings.tasks` or `tasks.tasks`. Times in unix milliseconds. */
export const taskRow = z.object({
  task_id: z.number(),
  submission: z.string(),
  user_id: z.number(),
  channel: z.number(),
  upstream_id: z.string(),
  action: z.string(),
  quota: z.number(),
  status: z.enum([
    'not-started',
    'submitted',
    'queued',
    'in-progress',
    'awaiting-input',
    'unknown',
    'succeeded',
    'failed',
  ]),
  percent: z.number(),
  submitted_at: z.number(),
  started_at: z.number().nullable(),
  ended_at: z.number().nullable(),
  updated_at: z.number(),
  failure: z.enum(['reported', 'timed-out', 'channel-lost']).nullable(),
})
export type TaskRow = Readonly<z.output<typeof taskRow>>

/** The read model of one platform's tasks, each with where it stands. */
export const taskProjector = (
  name: 'drawings' | 'tasks',
  platform: TaskPlatform,
): Projector<(typeof eventTypes)[number]> => ({
  name,
  version: 1,
  streamPrefixes: ['task-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  async handle(batch, tx) {
    const ids = [...new Set(batch.map((event) => numberOfStream(event.stream)))]
    const states = await loadStates(ids, tx)
    for (const event of batch) {
      const id = numberOfStream(event.stream)
      states.set(id, evolveTask(states.get(id) ?? NO_TASK, event))
    }
    const rows = [...states].flatMap(([id, state]) =>
      isSubmitted(state) && state.submission.platform === platform ? [rowOf(id, state)] : [],
    )
    if (rows.length > 0) await storeRows(rows, tx)
  },
})

/** A task as a row. */
export function rowOf(id: number, task: KnownTask): TaskRow {
  const { submission } = task
  return {
    task_id: id,
    submission: JSON.stringify(submission),
    user_id: submission.user,
    channel: submission.channel,
    upstream_id: keyText(submission.upstreamId),
    action: keyText(submission.action),
    quota: submission.charge?.amount ?? 0,
    status: task.status,
    percent: task.percent,
    submitted_at: task.submittedAt,
    started_at: task.startedAt,
    ended_at: task.endedAt,
    updated_at: task.updatedAt,
    failure: task.failure,
  }
}

/** The submission that a row's task began with. */
export const submissionOf = (row: TaskRow): TaskSubmission =>
  JSON.parse(row.submission) as TaskSubmission

const stateOf = (row: TaskRow): KnownTask => ({
  status: row.status,
  submission: submissionOf(row),
  percent: row.percent,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  submittedAt: row.submitted_at,
  updatedAt: row.updated_at,
  failure: row.failure,
})

async function loadStates(
  ids: readonly number[],
  tx: ModelTables,
): Promise<Map<number, TaskState>> {
  const rows = await tx.query<TaskRow>('select * from {tasks} where task_id = any($1)', [ids])
  return new Map(rows.map((row) => [row.task_id, stateOf(row)]))
}

const TASK_COLUMNS = {
  task_id: 'bigint',
  submission: 'text',
  user_id: 'bigint',
  channel: 'bigint',
  upstream_id: 'text',
  action: 'text',
  quota: 'bigint',
  status: 'text',
  percent: 'smallint',
  submitted_at: 'bigint',
  started_at: 'bigint',
  ended_at: 'bigint',
  updated_at: 'bigint',
  failure: 'text',
} as const satisfies Record<keyof TaskRow, string>

async function storeRows(rows: readonly TaskRow[], tx: ModelTables): Promise<void> {
  await upsertRows(
    tx,
    'tasks',
    {
      columns: TASK_COLUMNS,
      key: 'task_id',
      changing: ['status', 'percent', 'started_at', 'ended_at', 'updated_at', 'failure'],
    },
    rows,
  )
}
