import type { TaskEvent } from './events.ts'
import { isSubmitted, type TaskState } from './state.ts'

/** The task after an event. Total: an event of a task that was never submitted changes nothing. */
export function evolveTask(state: TaskState, event: TaskEvent): TaskState {
  if (event.type === 'TaskSubmitted') {
    const { at, ...submission } = event.data
    return {
      status: 'submitted',
      submission,
      percent: 0,
      startedAt: null,
      endedAt: null,
      submittedAt: at,
      updatedAt: at,
      failure: null,
    }
  }
  if (!isSubmitted(state)) return state
  const { at } = event.data
  switch (event.type) {
    case 'TaskProgressed': {
      const { status, percent, startedAt } = event.data
      return { ...state, status, percent, startedAt: startedAt ?? state.startedAt, updatedAt: at }
    }
    case 'TaskSucceeded': {
      const startedAt = event.data.startedAt ?? state.startedAt
      return { ...state, status: 'succeeded', percent: 100, startedAt, endedAt: at, updatedAt: at }
    }
    case 'TaskFailed': {
      const { reason } = event.data
      return {
        ...state,
        status: 'failed',
        failure: reason,
        percent: 100,
        endedAt: at,
        updatedAt: at,
      }
    }
    default:
      return event satisfies never
  }
}
