import { expect, test } from 'vitest'
import { createGathering } from './gathering.ts'

const never = new AbortController().signal

/** Notes how long each sleep was asked to be; they end at once, or when they are told to. */
function sleeps(endsAtOnce = true) {
  const asked: number[] = []
  const clock = {
    now: () => 0,
    monotonicMs: () => 0,
    sleep: (ms: number, signal?: AbortSignal) => {
      asked.push(ms)
      if (endsAtOnce) return Promise.resolve()
      return new Promise<void>((resolve) =>
        signal?.addEventListener('abort', () => resolve(), { once: true }),
      )
    },
  }
  return { asked, clock }
}

test('given traffic that grows and ends, when gathered into batches, then waits grow to 100 ms and shrink', async () => {
  const { asked, clock } = sleeps()
  const gathering = createGathering(clock)
  for (const events of [1, 2, 3, 3, 200, 200, 2, 1, 1]) await gathering.wait(events, never)
  expect(asked).toEqual([25, 25, 50, 100, 100, 100, 50, 25, 25])
})

test('given a reader who waits while a batch is applied, when it is done, then the next comes at once', async () => {
  const { asked, clock } = sleeps()
  const gathering = createGathering(clock)
  gathering.hurry()
  await gathering.wait(1, never)
  await gathering.wait(1, never)
  expect(asked).toEqual([25])
})

test('given events being gathered, when a reader begins to wait, then gathering ends', async () => {
  const { asked, clock } = sleeps(false)
  const gathering = createGathering(clock)
  const waiting = gathering.wait(100, never)
  gathering.hurry()
  await waiting
  expect(asked).toEqual([50])
})
