import type { TaskContent } from '@tollgate/command-api/http-contract/task-content.ts'
import { z } from 'zod'
import type { TaskRow } from './task-rows.ts'
import { contentOf, failText, percentText, statusWord, type Viewer } from './shown-values.ts'

/** `tasks` of console-api section 4; all times in unix seconds. */
export const taskEntitySchema = z.object({
  id: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
  task_id: z.string(),
  platform: z.literal('suno'),
  user_id: z.int(),
  channel_id: z.int().meta({ description: '0 in one’s own list' }),
  quota: z.int(),
  action: z.string(),
  status: z.string(),
  fail_reason: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  progress: z.string(),
  properties: z.object({ input: z.string() }),
  data: z.unknown().meta({ description: 'as upstream answered; null while it has not' }),
})
export type TaskEntity = z.output<typeof taskEntitySchema>

/** Rows as they are listed. */
export const taskEntities = (
  rows: readonly TaskRow[],
  contents: ReadonlyMap<number, TaskContent>,
  viewer: Viewer,
): readonly TaskEntity[] => rows.map((row) => entityOf(row, contentOf(row, contents), viewer))

function entityOf(row: TaskRow, content: TaskContent, viewer: Viewer): TaskEntity {
  const submitted = seconds(row.submitted_at)
  return {
    id: row.task_id,
    created_at: submitted,
    updated_at: seconds(row.updated_at),
    task_id: row.upstream_id,
    platform: 'suno',
    user_id: row.user_id,
    channel_id: viewer === 'admin' ? row.channel : 0,
    quota: row.quota,
    action: row.action,
    status: statusWord(row),
    fail_reason: failText(row, content, viewer),
    submit_time: submitted,
    start_time: seconds(row.started_at),
    finish_time: seconds(row.ended_at),
    progress: percentText(row),
    properties: { input: content.prompt },
    data: content.data === '' ? null : JSON.parse(content.data),
  }
}

const seconds = (ms: number | null): number => Math.floor((ms ?? 0) / 1000)
