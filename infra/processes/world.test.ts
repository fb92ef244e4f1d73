import { expect, test, vi } from 'vitest'
import { systemClock } from './world.ts'

test('given a sleep, when its time is up, then it ends and not before', async () => {
  vi.useFakeTimers()
  try {
    let hasEnded = false
    const sleeping = systemClock.sleep(100).then(() => (hasEnded = true))
    await vi.advanceTimersByTimeAsync(99)
    expect(hasEnded).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await sleeping
  } finally {
    vi.useRealTimers()
  }
})

test('given a sleep of an hour, when its signal aborts before or meanwhile, then it ends at once without failing', async () => {
  const ending = new AbortController()
  const sleeping = systemClock.sleep(3_600_000, ending.signal)
  ending.abort()
  await sleeping
  await systemClock.sleep(3_600_000, ending.signal)
})
