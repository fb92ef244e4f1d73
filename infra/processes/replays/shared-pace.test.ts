import { until } from '@tollgate/tests/support/processes.ts'
import { expect, test } from 'vitest'
import { paceOf, restAfter, watchBusyShare } from './shared-pace.ts'

test('given a main thread busy for a time, when a thread looks, then it shares for that time', async () => {
  const { share, stop } = watchBusyShare()
  const pace = paceOf(share, new AbortController().signal)
  const work = setInterval(() => {
    const end = performance.now() + 5
    while (performance.now() < end);
  }, 10)
  await until('the work is seen', () => Promise.resolve(pace.isShared()))
  clearInterval(work)
  await until('its end is seen', () => Promise.resolve(!pace.isShared()))
  stop()
})

test('given a thread at rest, when it is to end, then it rests no longer', async () => {
  const share = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  share[0] = 1_000
  const ending = new AbortController()
  const pace = paceOf(share, ending.signal)
  const end = performance.now() + 200
  while (performance.now() < end);
  const began = performance.now()
  const resting = pace.rest()
  ending.abort()
  await resting
  expect(performance.now() - began).toBeLessThan(200)
})

test('given work while nobody wanted the processors, when others do, then it is not rested for', async () => {
  const share = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const pace = paceOf(share, new AbortController().signal)
  const end = performance.now() + 400
  while (performance.now() < end);
  expect(pace.isShared()).toBe(false)
  share[0] = 1_000
  expect(pace.isShared()).toBe(true)
  const began = performance.now()
  await pace.rest()
  expect(performance.now() - began).toBeLessThan(400)
})

test.each([
  [0, 0],
  [50, 10],
  [100, 20],
  [200, 40],
  [1_000, 40],
])(
  'given a main thread busy %i thousandths, when 10 ms were worked, then %i ms are rest',
  (busy, ms) => {
    expect(restAfter(10, busy)).toBe(ms)
  },
)
