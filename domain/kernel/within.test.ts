import { expect, test } from 'vitest'
import { DeadlineExceeded, within } from './within.ts'

/** A clock whose sleeps end when told to. */
function manualClock() {
  let wake: () => void = () => undefined
  let isAborted = false
  const sleep = (_ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
      signal?.addEventListener('abort', () => {
        isAborted = true
        resolve()
      })
    })
  return { sleep, wake: () => wake(), isAborted: () => isAborted }
}

test('given work that is faster, when waited for, then its end is the answer, and the clock is let go', async () => {
  const clock = manualClock()
  expect(await within(10, clock, Promise.resolve('done'))).toBe('done')
  expect(clock.isAborted()).toBe(true)
  await expect(within(10, clock, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('given work that is late, when waited for, then the fallback answers; a late failure hurts nobody', async () => {
  const clock = manualClock()
  const { promise, reject } = Promise.withResolvers<string>()
  const late = within(10, clock, promise, () => 'late')
  clock.wake()
  expect(await late).toBe('late')
  const failing = within(10, clock, promise)
  clock.wake()
  await expect(failing).rejects.toThrow(DeadlineExceeded)
  reject(new Error('too late'))
  await new Promise((resolve) => setImmediate(resolve))
})
