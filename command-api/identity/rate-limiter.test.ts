import { expect, test } from 'vitest'
import { CRITICAL_LIMIT, slidingWindowLimiter } from './rate-limiter.ts'

test('given 20 attempts within 20 minutes, when one more comes, then it waits for the oldest to leave', async () => {
  let now = 0
  const limiter = slidingWindowLimiter(CRITICAL_LIMIT, { monotonicMs: () => now })
  for (let attempt = 0; attempt < 20; attempt++) {
    now = attempt * 1000
    expect(await limiter.take('10.0.0.1')).toEqual({ isAllowed: true })
  }
  now = 60_000
  expect(await limiter.take('10.0.0.1')).toEqual({ isAllowed: false, retryAfterSeconds: 1140 })
  expect(await limiter.take('10.0.0.2')).toEqual({ isAllowed: true })
  now = 1_199_999
  expect(await limiter.take('10.0.0.1')).toEqual({ isAllowed: false, retryAfterSeconds: 1 })
  now = 1_200_000
  expect(await limiter.take('10.0.0.1')).toEqual({ isAllowed: true })
  expect(await limiter.take('10.0.0.1')).toEqual({ isAllowed: false, retryAfterSeconds: 1 })
})
