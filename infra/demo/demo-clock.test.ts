import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DemoClock } from './demo-clock.ts'

test('given two requests, when each waits, then only its own time passes', async () => {
  const clock = new DemoClock(1_000)
  const request = async (at: number, takesMs: number) => {
    const timeline = { at, elapsedMs: 0 }
    return clock.within(timeline, async () => {
      const startedAt = clock.monotonicMs()
      await sleep(1)
      timeline.elapsedMs += takesMs
      return { endedAt: clock.now(), tookMs: clock.monotonicMs() - startedAt }
    })
  }
  const [first, second] = await Promise.all([request(5_000, 4_000), request(5_001, 70)])
  expect(first?.endedAt).toBe(9_000)
  expect(second?.endedAt).toBe(5_071)
  expect(first?.tookMs).toBeGreaterThanOrEqual(4_000)
  expect(second?.tookMs).toBeLessThan(2_000)
  expect(clock.now()).toBe(1_000)
})

test('given history, when it moves on, then never backwards, and at its end the time is real', () => {
  const clock = new DemoClock(1_000)
  clock.advanceTo(3_000)
  clock.advanceTo(2_000)
  expect(clock.now()).toBe(3_000)
  clock.becomeReal()
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000)
})
