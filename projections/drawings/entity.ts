import type { TaskContent } from '@tollgate/command-api/http-contract/task-content.ts'
import { z } from 'zod'
import { submissionOf, type TaskRow } from '../tasks/task-rows.ts'
import { imagePath } from './image-route.ts'
import { contentOf, failText, percentText, statusWord, type Viewer } from '../tasks/shown-values.ts'

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

export interface DrawingView {
  readonly viewer: Viewer
  /** This server's address, where it shows images; null while upstream's own addresses are given out. */
  readonly imagesAt: string | null
}

/** Rows as they are listed. */
export const drawingEntities = (
  rows: readonly TaskRow[],
  contents: ReadonlyMap<number, TaskContent>,
  view: DrawingView,
): readonly DrawingEntity[] => rows.map((row) => entityOf(row, contentOf(row, contents), view))

function entityOf(row: TaskRow, content: TaskContent, view: DrawingView): DrawingEntity {
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
    image_url: imageUrl(row, content, view),
    status: statusWord(row),
    progress: percentText(row),
    fail_reason: failText(row, content, view.viewer),
    channel_id: view.viewer === 'admin' ? row.channel : 0,
    quota: row.quota,
    buttons: content.buttons,
    properties: content.properties,
    created_at: Math.floor(row.submitted_at / 1000),
  }
}

/** A drawing without an image has no address either way: the console offers to open what is not empty. */
function imageUrl(row: TaskRow, { imageUrl: own }: TaskContent, { imagesAt }: DrawingView): string {
  if (own === '' || row.upstream_id === '' || imagesAt === null) return own
  return imagesAt + imagePath(row.upstream_id)
}
