import { expect, test } from 'vitest'
import { elapsedMs, momentOf } from './moment.ts'

const HOUR = 3_600_000

/** Clocks that a test sets; no test calls `sleep`. */
function clocks() {
  let monotonic = 5_000
  let wall = 1_767_225_600_000
  return {
    now: () => Math.floor(wall),
    monotonicMs: () => monotonic,
    sleep: () => Promise.resolve(),
    pass(ms: number) {
      monotonic += ms
      wall += ms
    },
    /** The monotonic clock stands still. */
    suspend(ms: number) {
      wall += ms
    },
    setWall(ms: number) {
      wall += ms
    },
  }
}

test('given a suspension or a clock set back, when time is measured, then it is what has passed', () => {
  const clock = clocks()
  const since = momentOf(clock)
  clock.pass(1_000)
  expect(elapsedMs(since, clock)).toBe(1_000)
  clock.suspend(30_000)
  expect(elapsedMs(since, clock)).toBe(31_000)
  clock.setWall(-HOUR)
  expect(elapsedMs(since, clock)).toBe(31_000)
  clock.pass(500)
  expect(elapsedMs(since, clock)).toBe(31_500)
})

test('given a wall clock set back, when the machine is suspended soon after, then that time counts', () => {
  const clock = clocks()
  const since = momentOf(clock)
  clock.pass(1_000)
  clock.setWall(-HOUR)
  clock.pass(1_000)
  momentOf(clock)
  clock.suspend(40_000)
  expect(elapsedMs(since, clock)).toBe(42_000)
})

test('given clocks read ten times a millisecond, when a second has passed, then none is counted twice', () => {
  const clock = clocks()
  const since = momentOf(clock)
  for (let reading = 0; reading < 10_000; reading++) {
    clock.pass(0.1)
    momentOf(clock)
  }
  expect(Math.abs(elapsedMs(since, clock) - 1_000)).toBeLessThan(1.5)
})
