import type { OpenTaskStatus, TaskFailure, TaskSubmission } from './events.ts'

/** A task as its events leave it. */
export type TaskState = NoTask | KnownTask

export interface NoTask {
  readonly status: 'unsubmitted'
}

export interface KnownTask {
  readonly status: OpenTaskStatus | 'succeeded' | 'failed'
  readonly submission: TaskSubmission
  /** 0 to 100. */
  readonly percent: number
  /** Unix milliseconds, as the rest; null while it is not known. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly submittedAt: number
  readonly updatedAt: number
  /** Null unless it failed. */
  readonly failure: TaskFailure | null
}

export const NO_TASK: NoTask = { status: 'unsubmitted' }

export const isSubmitted = (state: TaskState): state is KnownTask => state.status !== 'unsubmitted'

export const hasEnded = ({ status }: KnownTask): boolean =>
  status === 'succeeded' || status === 'failed'
