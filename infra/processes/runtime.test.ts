import { expect, test, vi } from 'vitest'
import { systemClock } from './runtime.ts'

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

test('given a sleep of an hour, when its signal aborts before or during it, then it ends without failing', async () => {
  const ending = new AbortController()
  const sleeping = systemClock.sleep(3_600_000, ending.signal)
  ending.abort()
  await sleeping
  await systemClock.sleep(3_600_000, ending.signal)
})

test('given a time that is past, when it is slept for, then it ends without a warning of Node', async () => {
  const warnings: Error[] = []
  const note = (warning: Error): void => void warnings.push(warning)
  process.on('warning', note)
  await systemClock.sleep(-5)
  await systemClock.sleep(1)
  process.off('warning', note)
  expect(warnings).toEqual([])
})
