import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { channelId, holdId, requestId, tokenId, userId } from '../ids.ts'
import { quota } from '../quota.ts'
import { type TaskCommand, taskDecider, type TaskRejection } from './decider.ts'
import type { TaskEvent, TaskSubmission } from './events.ts'
import { evolveTask } from './evolve.ts'
import { hasEnded, isSubmitted, type TaskState } from './state.ts'

const submission: TaskSubmission = {
  user: userId(7),
  token: tokenId(70),
  channel: channelId(3),
  platform: 'mj',
  action: 'IMAGINE',
  upstreamId: '1712205491372224',
  code: 1,
  charge: {
    request: requestId('request-1'),
    hold: holdId(userId(7), 4, null),
    amount: quota(50_000),
  },
}
const at = 9
const context = { at, nextRevision: 0 }
const submitted: TaskEvent = { type: 'TaskSubmitted', data: { at: 1, ...submission } }
const progressed: TaskEvent = {
  type: 'TaskProgressed',
  data: { at: 2, status: 'in-progress', percent: 42, startedAt: 2 },
}
const succeeded: TaskEvent = { type: 'TaskSucceeded', data: { at: 3, startedAt: null } }
const failed: TaskEvent = { type: 'TaskFailed', data: { at: 3, reason: 'reported' } }
const submit: TaskCommand = { type: 'SubmitTask', submission }
const progress = {
  type: 'ProgressTask',
  status: 'in-progress',
  percent: 42,
  startedAt: 2,
} as const
const succeed: TaskCommand = { type: 'SucceedTask', startedAt: null }
const fail: TaskCommand = { type: 'FailTask', reason: 'timed-out' }

const stateAfter = (...events: readonly TaskEvent[]): TaskState =>
  events.reduce(evolveTask, taskDecider.initial)
const decide = (events: readonly TaskEvent[], command: TaskCommand) =>
  taskDecider.decide(stateAfter(...events), command, context)

describe('given a task’s history, when it is told something that does not fit, then the rejection says why:', () => {
  const otherwise: TaskCommand = { ...submit, submission: { ...submission, upstreamId: 'other' } }
  test.each<[string, readonly TaskEvent[], TaskCommand, TaskRejection['reason']]>([
    ['progress of nothing', [], progress, 'task-unknown'],
    ['success of nothing', [], succeed, 'task-unknown'],
    ['failure of nothing', [], fail, 'task-unknown'],
    ['another submission', [submitted], otherwise, 'task-submitted-otherwise'],
    ['progress after success', [submitted, succeeded], progress, 'task-already-succeeded'],
    ['failure after success', [submitted, succeeded], fail, 'task-already-succeeded'],
    ['progress after failure', [submitted, failed], progress, 'task-already-failed'],
    ['success after failure', [submitted, failed], succeed, 'task-already-failed'],
    ['more than all', [submitted], { ...progress, percent: 101 }, 'percent-out-of-range'],
    ['less than nothing', [submitted], { ...progress, percent: -1 }, 'percent-out-of-range'],
    ['half a percent', [submitted], { ...progress, percent: 0.5 }, 'percent-out-of-range'],
  ])('%s', (_, events, command, reason) => {
    expect(decide(events, command)).toEqual({ status: 'rejected', rejection: { reason } })
  })
})

test.each<[string, readonly TaskEvent[], TaskCommand, readonly TaskEvent[]]>([
  ['it is submitted', [], submit, [{ type: 'TaskSubmitted', data: { at, ...submission } }]],
  [
    'it moves on',
    [submitted],
    progress,
    [{ type: 'TaskProgressed', data: { at, status: 'in-progress', percent: 42, startedAt: 2 } }],
  ],
  [
    'upstream waits for the user again',
    [submitted, progressed],
    { ...progress, status: 'awaiting-input', percent: 0 },
    [{ type: 'TaskProgressed', data: { at, status: 'awaiting-input', percent: 0, startedAt: 2 } }],
  ],
  [
    'it succeeds',
    [submitted, progressed],
    succeed,
    [{ type: 'TaskSucceeded', data: { at, startedAt: null } }],
  ],
  [
    'it fails at once',
    [submitted],
    fail,
    [{ type: 'TaskFailed', data: { at, reason: 'timed-out' } }],
  ],
])('given a task, when %s, then that is what happened', (_, events, command, expected) => {
  expect(decide(events, command)).toEqual({ status: 'decided', events: expected })
})

test.each<[string, readonly TaskEvent[], TaskCommand]>([
  ['the same submission', [submitted], submit],
  ['the same progress', [submitted, progressed], progress],
  [
    'the same progress without its beginning',
    [submitted, progressed],
    { ...progress, startedAt: null },
  ],
  ['success', [submitted, succeeded], succeed],
  ['failure, for another reason', [submitted, failed], fail],
])('given a task, when it is told %s again, then nothing happens', (_, events, command) => {
  expect(decide(events, command)).toEqual({ status: 'decided', events: [] })
})

test('given a task with its history, when folded, then it says when it began, moved and ended', () => {
  expect(stateAfter(submitted, progressed, succeeded)).toEqual({
    status: 'succeeded',
    submission,
    percent: 100,
    startedAt: 2,
    endedAt: 3,
    submittedAt: 1,
    updatedAt: 3,
    failure: null,
  })
})

test('given any reports in any order, when decided in turn, then a task ends once and stays ended', () => {
  const command = fc.constantFrom<TaskCommand>(
    submit,
    progress,
    { ...progress, percent: 80 },
    { ...progress, status: 'awaiting-input' },
    succeed,
    fail,
  )
  fc.assert(
    fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
      let state = taskDecider.initial
      const all: TaskEvent[] = []
      for (const one of commands) {
        const decision = taskDecider.decide(state, one, context)
        if (decision.status === 'rejected') continue
        all.push(...decision.events)
        state = decision.events.reduce(evolveTask, state)
      }
      const ends = all.filter(({ type }) => type === 'TaskSucceeded' || type === 'TaskFailed')
      expect(ends.length).toBeLessThanOrEqual(1)
      expect(isSubmitted(state) && hasEnded(state)).toBe(ends.length === 1)
      if (ends.length === 1) expect(all.at(-1)).toBe(ends[0])
    }),
  )
})
