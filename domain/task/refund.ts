import type { TaskPlatform } from './events.ts'

const FAILED = {
  mj: '构图失败',
  suno: '异步任务执行失败',
} as const satisfies Record<TaskPlatform, string>

/** The task whose failure a refund is for. */
export interface RefundedTask {
  readonly platform: TaskPlatform
  /** Upstream's name for it. */
  readonly task: string
}

/** The beginning of the log rows of such a refund (console-api 2.10); its `reason` in events before version 3. */
export const refundReason = ({ platform, task }: RefundedTask): string =>
  `${FAILED[platform]} ${task}`

/** Reads it back; null for a text of another form. */
export function readRefundReason(reason: string): RefundedTask | null {
  const platform = (['mj', 'suno'] as const).find((one) => reason.startsWith(`${FAILED[one]} `))
  return platform === undefined
    ? null
    : { platform, task: reason.slice(FAILED[platform].length + 1) }
}
