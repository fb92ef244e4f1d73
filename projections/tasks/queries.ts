import { below } from '@tollgate/command-api/http-contract/csv-batches.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { type TaskRow, taskRow } from './task-rows.ts'

/** Conditions of a list of tasks; absent = no condition. */
export interface TaskFilter {
  readonly userId?: number
  readonly channel?: number
  readonly upstreamId?: string
  readonly action?: string
  readonly status?: TaskRow['status']
  /** When it was submitted, unix milliseconds, both inclusive. */
  readonly from?: number
  readonly to?: number
  /** Tasks with lower numbers. */
  readonly before?: number
}

/** Rows of a page: fixed by the wire contract (console-api 2.11). */
const PAGE_ROWS = 10

/** Tasks of one batch of a CSV: each brings all that its upstream answered. */
const CSV_BATCH_TASKS = 100

/** `drawings` for images, `tasks` for songs. */
type TaskModel = 'drawings' | 'tasks'

/** One page of drawings or of songs, newest first; `page` counts from 0. */
export const taskPage = (
  reads: CommonQueryMethods,
  model: TaskModel,
  filter: TaskFilter,
  page: number,
): Promise<readonly TaskRow[]> =>
  tasksOf(reads, model, filter, { offset: page * PAGE_ROWS, limit: PAGE_ROWS })

/** All of them, as batches for a file. */
export const everyTask = (
  reads: CommonQueryMethods,
  model: TaskModel,
  filter: TaskFilter,
): AsyncIterable<readonly TaskRow[]> =>
  below(
    (before, limit) =>
      tasksOf(
        reads,
        model,
        { ...filter, ...(before !== null && { before }) },
        { offset: 0, limit },
      ),
    (row) => row.task_id,
    CSV_BATCH_TASKS,
  )

function tasksOf(
  reads: CommonQueryMethods,
  model: TaskModel,
  { userId, channel, upstreamId, action, status, from, to, before }: TaskFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly TaskRow[]> {
  const where = sql.and([
    userId !== undefined && sql.fragment`user_id = ${userId}`,
    channel !== undefined && sql.fragment`channel = ${channel}`,
    upstreamId !== undefined && sql.fragment`upstream_id = ${upstreamId}`,
    action !== undefined && sql.fragment`action = ${action}`,
    status !== undefined && sql.fragment`status = ${status}`,
    from !== undefined && sql.fragment`submitted_at >= ${from}`,
    to !== undefined && sql.fragment`submitted_at <= ${to}`,
    before !== undefined && sql.fragment`task_id < ${before}`,
  ])
  return reads.any(sql.type(taskRow)`
    select * from ${sql.identifier([model, 'tasks'])} where ${where}
    order by task_id desc limit ${limit} offset ${offset}`)
}
