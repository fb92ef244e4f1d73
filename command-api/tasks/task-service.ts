import { taskStream } from '@tollgate/domain/event.ts'
import type { TaskId } from '@tollgate/domain/ids.ts'
import type { TaskContent } from '../http-contract/task-content.ts'
import {
  type ChangeOfTask,
  type TaskCommand,
  taskDecider,
  type TaskRejection,
} from '@tollgate/domain/task/decider.ts'
import type { TaskEvent, TaskSubmission } from '@tollgate/domain/task/events.ts'
import type { TaskState } from '@tollgate/domain/task/state.ts'
import { type AggregateOutcome, type AggregateWriter, executeOn } from '../aggregates/aggregate.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { TaskPayloads } from './payloads.ts'

export interface TaskServiceDeps extends AggregateWriter {
  readonly payloads: Pick<TaskPayloads, 'insert' | 'update' | 'find' | 'confirm'>
}

export type TaskOutcome = AggregateOutcome<TaskState, TaskEvent, TaskRejection>

export interface AcceptedTask {
  readonly task: TaskId
  /** Upstream named a task that it had accepted before: nothing is to be charged. */
  readonly isDuplicate: boolean
}

/**
 * Keeps tasks for any part that talks to upstream (the relay, a poller, a notification). A submission is three steps,
 * each durable before the next: `accept` once upstream has taken the task, then the charge, then `submit`. The process
 * manager finishes submissions that a crash left between them (finish-submissions.ts); a failure's refund is its work,
 * too (workflows/task-refund.ts). All may be called again after any crash.
 */
export interface TaskService {
  accept(submission: TaskSubmission, content: Partial<TaskContent>): Promise<AcceptedTask>
  /** Only once the task's charge is durable, or when it costs nothing. Fails with TaskUnknown. */
  submit(task: TaskId, cause: CommandCause): Promise<TaskOutcome>
  /** Keeps upstream's report on the task, then its status. */
  report(
    task: TaskId,
    report: ChangeOfTask,
    content: Partial<TaskContent>,
    cause: CommandCause,
  ): Promise<TaskOutcome>
}

/** The task service over the task streams and `identity.task_payloads`. */
export function taskService(deps: TaskServiceDeps): TaskService {
  const { payloads } = deps
  const decide = (task: TaskId, command: TaskCommand, cause: CommandCause): Promise<TaskOutcome> =>
    executeOn(deps, { stream: taskStream(task), decider: taskDecider, command }, cause)
  return {
    async accept(submission, content) {
      const { isNew, payload } = await payloads.insert(submission, content)
      const isSame = payload.submission.charge?.request === submission.charge?.request
      // The same request again is the same submission, whose first try was cut off.
      const isRepeated = isSame && submission.charge !== null && payload.isPending
      return { task: payload.id, isDuplicate: !isNew && !isRepeated }
    },
    async submit(task, cause) {
      const payload = await payloads.find(task)
      if (payload === null) throw new TaskUnknown(task)
      const { submission } = payload
      const outcome = await decide(task, { type: 'SubmitTask', submission }, cause)
      if (outcome.status === 'done') await payloads.confirm(task)
      return outcome
    },
    async report(task, report, content, cause) {
      await payloads.update(task, content)
      return decide(task, report, cause)
    },
  }
}

/** There is no such task, or it was taken back because its charge never came. */
export class TaskUnknown extends Error {
  readonly code = 'TASK_UNKNOWN'
  readonly retryable = false
  constructor(task: TaskId) {
    super(`there is no task ${task}`)
    this.name = 'TaskUnknown'
  }
}
