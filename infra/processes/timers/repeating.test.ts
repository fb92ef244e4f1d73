import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeating } from './repeating.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('given work that takes longer than its pause, when its time comes again, then no second run begins', async () => {
  let runs = 0
  const ends: (() => void)[] = []
  const work = (): Promise<void> => {
    runs += 1
    return new Promise((resolve) => ends.push(resolve))
  }
  const sweep = repeating(10, work, () => undefined)
  await vi.advanceTimersByTimeAsync(50)
  expect(runs).toBe(1)
  ends.shift()?.()
  await vi.advanceTimersByTimeAsync(10)
  expect(runs).toBe(2)
  let hasStopped = false
  const stopped = sweep.stop().then(() => (hasStopped = true))
  await vi.advanceTimersByTimeAsync(50)
  expect(hasStopped).toBe(false)
  ends.shift()?.()
  await stopped
  expect(runs).toBe(2)
})

test('given work that fails, when its time comes again, then the failure was told and it runs again', async () => {
  const failures: unknown[] = []
  const sweep = repeating(
    10,
    () => Promise.reject(new Error('away')),
    (error) => failures.push(error),
  )
  await vi.advanceTimersByTimeAsync(25)
  expect(failures).toHaveLength(2)
  await sweep.stop()
})
