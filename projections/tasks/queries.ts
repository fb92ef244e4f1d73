import { below } from '@tollgate/command-api/http-contract/csv-batches.ts'
import type pg from 'pg'
import type { TaskRow } from './task-rows.ts'

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

type TaskTable = 'drawings.tasks' | 'tasks.tasks'

/** One page of drawings or of songs, newest first; `page` counts from 0. */
export const taskPage = (
  pool: pg.Pool,
  table: TaskTable,
  filter: TaskFilter,
  page: number,
): Promise<readonly TaskRow[]> =>
  tasksOf(pool, table, filter, { offset: page * PAGE_ROWS, limit: PAGE_ROWS })

/** All of them, as batches for a file. */
export const everyTask = (
  pool: pg.Pool,
  table: TaskTable,
  filter: TaskFilter,
): AsyncIterable<readonly TaskRow[]> =>
  below(
    (before, limit) =>
      tasksOf(pool, table, { ...filter, ...(before !== null && { before }) }, { offset: 0, limit }),
    (row) => row.task_id,
    CSV_BATCH_TASKS,
  )

async function tasksOf(
  pool: pg.Pool,
  table: TaskTable,
  filter: TaskFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly TaskRow[]> {
  const { userId, channel, upstreamId, action, status, from, to, before } = filter
  const { rows } = await pool.query<TaskRow>(
    `select * from ${table} where ${WHERE} order by task_id desc limit $9 offset $10`,
    [
      userId ?? null,
      channel ?? null,
      upstreamId ?? null,
      action ?? null,
      status ?? null,
      from ?? null,
      to ?? null,
      before ?? null,
      limit,
      offset,
    ],
  )
  return rows
}

const WHERE = `
  ($1::bigint is null or user_id = $1)
  and ($2::bigint is null or channel = $2)
  and ($3::text is null or upstream_id = $3)
  and ($4::text is null or action = $4)
  and ($5::text is null or status = $5)
  and ($6::bigint is null or submitted_at >= $6)
  and ($7::bigint is null or submitted_at <= $7)
  and ($8::bigint is null or task_id < $8)`
