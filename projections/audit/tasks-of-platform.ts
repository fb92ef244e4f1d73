import { isDeepStrictEqual } from 'node:util'
import { numberOfStream } from '@tollgate/domain/event.ts'
import type { TaskEvent, TaskPlatform, TaskSubmission } from '@tollgate/domain/task/events.ts'
import { evolveTask } from '@tollgate/domain/task/evolve.ts'
import {
  isSubmitted,
  type KnownTask,
  NO_TASK,
  type TaskState,
} from '@tollgate/domain/task/state.ts'
import { keyText } from '../runner/columns.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { jsonOf } from './json-of.ts'
import { type Comparison, compareTable, type Figure, type ExpectedModel } from './expected-model.ts'

/** Every task of one platform by the domain's own fold. */
export function expectTasksOf(model: 'drawings' | 'tasks', platform: TaskPlatform): ExpectedModel {
  const states = new Map<number, TaskState>()

  function take(event: Recorded): void {
    if (!isTaskEvent(event)) return
    const id = numberOfStream(event.stream)
    states.set(id, evolveTask(states.get(id) ?? NO_TASK, event))
  }

  async function compare(comparison: Comparison): Promise<void> {
    const expected = new Map<string, Readonly<Record<string, Figure>>>()
    const submissions = new Map<number, TaskSubmission>()
    for (const [id, state] of states) {
      if (!isSubmitted(state) || state.submission.platform !== platform) continue
      expected.set(`task ${id}`, figuresOf(state))
      submissions.set(id, state.submission)
    }
    await compareTable(comparison, 'tasks', {
      rows: comparison.rows<{ task_id: number }>(`select * from ${model}.tasks`),
      expected,
      keyOf: (row) => `task ${row.task_id}`,
    })
    const sql = `select task_id, submission from ${model}.tasks`
    for await (const { task_id: id, submission } of comparison.rows<Submitted>(sql)) {
      const wanted = submissions.get(id)
      if (wanted === undefined || isDeepStrictEqual(jsonOf(submission), wanted)) continue
      const ledger = JSON.stringify(wanted)
      comparison.differs({
        table: 'tasks',
        key: `task ${id}`,
        column: 'submission',
        ledger,
        found: submission,
      })
    }
  }

  return { model, tables: ['tasks'], take, compare }
}

interface Submitted {
  readonly task_id: number
  readonly submission: string
}

const isTaskEvent = (event: Recorded): event is Recorded<TaskEvent> => event.type.startsWith('Task')

function figuresOf(task: KnownTask): Readonly<Record<string, Figure>> {
  const { user, channel, upstreamId, action, charge } = task.submission
  return {
    user_id: user,
    channel,
    upstream_id: keyText(upstreamId),
    action: keyText(action),
    quota: charge?.amount ?? 0,
    status: task.status,
    percent: task.percent,
    submitted_at: task.submittedAt,
    started_at: task.startedAt,
    ended_at: task.endedAt,
    updated_at: task.updatedAt,
    failure: task.failure,
  }
}
