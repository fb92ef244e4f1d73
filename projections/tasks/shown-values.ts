import { NO_CONTENT, type TaskContent } from '@tollgate/command-api/http-contract/task-content.ts'
import type { TaskFilter } from './queries.ts'
import type { TaskRow } from './task-rows.ts'

/** Status on the wire (seeds 4, drawing and task status). */
const STATUS_WORD = {
  'not-started': 'NOT_START',
  submitted: 'SUBMITTED',
  queued: 'QUEUED',
  'in-progress': 'IN_PROGRESS',
  'awaiting-input': 'MODAL',
  unknown: 'UNKNOWN',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
} as const satisfies Record<TaskRow['status'], string>

export const STATUS_WORDS: readonly string[] = Object.values(STATUS_WORD)

export const statusWord = ({ status }: TaskRow): string => STATUS_WORD[status]

/** The status that a word stands for; null for a word that stands for none. */
export function statusOfWord(word: string): TaskRow['status'] | null {
  const found = Object.entries(STATUS_WORD).find(([, written]) => written === word)
  return found === undefined ? null : (found[0] as TaskRow['status'])
}

/** Progress on the wire, such as `42%`. */
export const percentText = ({ percent }: TaskRow): string => `${percent}%`

/** The reader of a task: its own user is not told of channels. */
export type Viewer = 'admin' | 'self'

/** Why a task failed, in upstream's words where it had any; '' unless it failed. */
export function failText(row: TaskRow, { failReason }: TaskContent, viewer: Viewer): string {
  switch (row.failure) {
    case null:
      return ''
    case 'reported':
      return failReason
    case 'timed-out':
      return failReason || '上游任务超时（超过1小时）'
    case 'channel-lost':
      return viewer === 'admin'
        ? `获取渠道信息失败，请联系管理员，渠道ID：${row.channel}`
        : '获取渠道信息失败，请联系管理员'
    default:
      return row.failure satisfies never
  }
}

export const contentOf = (row: TaskRow, contents: ReadonlyMap<number, TaskContent>): TaskContent =>
  contents.get(row.task_id) ?? NO_CONTENT

/** Conditions that both lists share; 0 and '' ask for nothing. Times in milliseconds. */
export const sharedFilter = (asked: {
  readonly userId: number | null
  readonly channel: number
  readonly upstreamId: string
  readonly from: number
  readonly to: number
}): TaskFilter => ({
  ...(asked.userId === null ? {} : { userId: asked.userId }),
  ...(asked.channel === 0 ? {} : { channel: asked.channel }),
  ...(asked.upstreamId === '' ? {} : { upstreamId: asked.upstreamId }),
  ...(asked.from === 0 ? {} : { from: asked.from }),
  ...(asked.to === 0 ? {} : { to: asked.to }),
})
