import {
  type Decider,
  type Decision,
  type DecisionContext,
  decided,
  rejected,
} from '../decision.ts'
import type { OpenTaskStatus, TaskEvent, TaskFailure, TaskSubmission } from './events.ts'
import { evolveTask } from './evolve.ts'
import { isSubmitted, type KnownTask, NO_TASK, type TaskState } from './state.ts'

export type TaskCommand =
  | { readonly type: 'SubmitTask'; readonly submission: TaskSubmission }
  | ChangeOfTask

/** Reports about a task that was submitted. */
export type ChangeOfTask =
  | {
      readonly type: 'ProgressTask'
      readonly status: OpenTaskStatus
      /** 0 to 100. */
      readonly percent: number
      readonly startedAt: number | null
    }
  | { readonly type: 'SucceedTask'; readonly startedAt: number | null }
  | { readonly type: 'FailTask'; readonly reason: TaskFailure }

/**
 * The rejections of a task. Reports arrive late and more than once: a report on the progress of an ended task is
 * refused by name.
 */
export interface TaskRejection {
  readonly reason:
    | 'task-unknown'
    | 'task-submitted-otherwise'
    | 'task-already-succeeded'
    | 'task-already-failed'
    | 'percent-out-of-range'
}

type TaskDecision = Decision<TaskEvent, TaskRejection>

/** Decides a stream `task-<id>`. A task ends once: no later report changes how it ended. */
export const taskDecider: Decider<TaskState, TaskCommand, TaskEvent, TaskRejection> = {
  initial: NO_TASK,
  decide: decideTask,
  evolve: evolveTask,
}

function decideTask(state: TaskState, command: TaskCommand, { at }: DecisionContext): TaskDecision {
  if (command.type === 'SubmitTask') return submit(state, at, command.submission)
  if (!isSubmitted(state)) return refuse('task-unknown')
  return report(state, command, at)
}

function submit(state: TaskState, at: number, submission: TaskSubmission): TaskDecision {
  if (!isSubmitted(state)) return decided({ type: 'TaskSubmitted', data: { at, ...submission } })
  if (!areSame(state.submission, submission)) return refuse('task-submitted-otherwise')
  return decided()
}

function report(task: KnownTask, command: ChangeOfTask, at: number): TaskDecision {
  if (task.status === 'succeeded' && command.type === 'SucceedTask') return decided()
  if (task.status === 'succeeded') return refuse('task-already-succeeded')
  if (task.status === 'failed' && command.type === 'FailTask') return decided()
  if (task.status === 'failed') return refuse('task-already-failed')
  switch (command.type) {
    case 'ProgressTask':
      return progress(task, command, at)
    case 'SucceedTask':
      return decided({ type: 'TaskSucceeded', data: { at, startedAt: command.startedAt } })
    case 'FailTask':
      return decided({ type: 'TaskFailed', data: { at, reason: command.reason } })
    default:
      return command satisfies never
  }
}

function progress(
  task: KnownTask,
  command: Extract<ChangeOfTask, { readonly type: 'ProgressTask' }>,
  at: number,
): TaskDecision {
  const { status, percent, startedAt } = command
  const isPercent = Number.isInteger(percent) && percent >= 0 && percent <= 100
  if (!isPercent) return refuse('percent-out-of-range')
  const isNews =
    status !== task.status ||
    percent !== task.percent ||
    (startedAt !== null && startedAt !== task.startedAt)
  if (!isNews) return decided()
  return decided({ type: 'TaskProgressed', data: { at, status, percent, startedAt } })
}

const refuse = (reason: TaskRejection['reason']): Decision<never, TaskRejection> =>
  rejected({ reason })

const areSame = (one: TaskSubmission, other: TaskSubmission): boolean =>
  (Object.keys(one) as ReadonlyArray<keyof TaskSubmission>).every((name) =>
    name === 'charge'
      ? one.charge?.request === other.charge?.request && one.charge?.amount === other.charge?.amount
      : one[name] === other[name],
  )
