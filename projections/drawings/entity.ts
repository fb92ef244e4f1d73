import type { TaskContent } from '@tollgate/domain/ports/task-content.ts'
import { z } from 'zod'
import { submissionOf, type TaskRow } from '../tasks/task-rows.ts'
import { contentOf, failText, percentText, statusWord, type Viewer } from '../tasks/wire.ts'

/** `midjourneys` of console-api section 4; times in unix milliseconds but for `created_at`. */
export const drawingEntitySchema = z.object({
  id: z.int(),
  code: z.int(),
  user_id: z.int(),
  action: z.string(),
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  image_url: z.string(),
  status: z.string(),
  progress: z.string(),
  fail_reason: z.string(),
  channel_id: z.int().meta({ description: '0 in one’s own list' }),
  quota: z.int(),
  buttons: z.string(),
  properties: z.string(),
  created_at: z.int(),
})
export type DrawingEntity = z.output<typeof drawingEntitySchema>

/** Rows as they are listed. */
export const drawingEntities = (
  rows: readonly TaskRow[],
  contents: ReadonlyMap<number, TaskContent>,
  viewer: Viewer,
): readonly DrawingEntity[] => rows.map((row) => entityOf(row, contentOf(row, contents), viewer))

function entityOf(row: TaskRow, content: TaskContent, viewer: Viewer): DrawingEntity {
  return {
    id: row.task_id,
    code: submissionOf(row).code,
    user_id: row.user_id,
    action: row.action,
    mj_id: row.upstream_id,
    prompt: content.prompt,
    prompt_en: content.promptEn,
    description: content.description,
    state: content.state,
    submit_time: row.submitted_at,
    start_time: row.started_at ?? 0,
    finish_time: row.ended_at ?? 0,
    // Upstream's own address: no route of this server shows images yet, so one of ours would lead nowhere.
    image_url: content.imageUrl,
    status: statusWord(row),
    progress: percentText(row),
    fail_reason: failText(row, content, viewer),
    channel_id: viewer === 'admin' ? row.channel : 0,
    quota: row.quota,
    buttons: content.buttons,
    properties: content.properties,
    created_at: Math.floor(row.submitted_at / 1000),
  }
}
