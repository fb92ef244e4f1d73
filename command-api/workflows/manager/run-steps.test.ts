import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import { expect, test } from 'vitest'
import { runSteps, errorText, retryAfterMs } from './run-steps.ts'
import type { Step } from './workflow.ts'

const ongoing = new AbortController().signal

/** Steps that note when they are taken. */
function stepsNoting(taken: string[], ...names: readonly string[]): readonly Step[] {
  return names.map((name) => ({ name, act: async () => taken.push(name) }))
}

test('given steps, when driven, then all are taken in order, from the one that failed or the first', async () => {
  for (const [from, expected] of [
    ['', ['a', 'b', 'c']],
    ['b', ['b', 'c']],
    ['renamed', ['a', 'b', 'c']],
  ] as const) {
    const taken: string[] = []
    const steps = stepsNoting(taken, 'a', 'b', 'c')
    expect(await runSteps(steps, from, { clock: systemClock, signal: ongoing })).toEqual({
      status: 'done',
    })
    expect(taken).toEqual(expected)
  }
})

test('given a step that says it was taken, when driven, then it is passed over', async () => {
  const taken: string[] = []
  const [a, b] = stepsNoting(taken, 'a', 'b')
  if (a === undefined || b === undefined) throw new Error('no steps')
  const steps = [
    { ...a, isDone: async () => true },
    { ...b, isDone: async () => false },
  ]
  expect(await runSteps(steps, '', { clock: systemClock, signal: ongoing })).toEqual({
    status: 'done',
  })
  expect(taken).toEqual(['b'])
})

test('given a step that fails, throws or never answers, when driven, then the attempt ends with its error', async () => {
  const failures: readonly [Step['act'], RegExp][] = [
    [() => Promise.reject(new Error('no')), /^no$/u],
    [
      () => {
        throw new Error('broken')
      },
      /^broken$/u,
    ],
    [() => new Promise(() => undefined), /no answer within 20 ms/u],
  ]
  for (const [act, message] of failures) {
    const taken: string[] = []
    const [a, c] = stepsNoting(taken, 'a', 'c')
    if (a === undefined || c === undefined) throw new Error('no steps')
    const driven = await runSteps([a, { name: 'b', act }, c], '', {
      clock: systemClock,
      signal: ongoing,
      stepMs: 20,
    })
    expect(driven).toMatchObject({ status: 'failed', step: 'b' })
    expect(driven.status === 'failed' && errorText(driven.error)).toMatch(message)
    expect(taken).toEqual(['a'])
  }
})

test('given a manager that stops, when a step has ended, then the next is not begun', async () => {
  const stopping = new AbortController()
  const taken: string[] = []
  const steps = [{ name: 'a', act: async () => stopping.abort() }, ...stepsNoting(taken, 'b')]
  const driven = await runSteps(steps, '', { clock: systemClock, signal: stopping.signal })
  expect(driven).toEqual({ status: 'interrupted' })
  expect(taken).toEqual([])
})

test('given failed attempts, when tried again, then the pauses double up to five minutes', () => {
  expect([1, 2, 3, 9, 10, 1_000].map(retryAfterMs)).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ])
})

test('given an error that PostgreSQL could not keep, when noted, then it is shortened and without NUL', () => {
  expect(errorText(new Error(`a\0${'b'.repeat(1_000)}`))).toBe(`a${'b'.repeat(499)}`)
  expect(errorText('plain')).toBe('plain')
})
