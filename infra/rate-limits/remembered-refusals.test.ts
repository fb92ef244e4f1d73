import type { RateLimitAnswer } from '@tollgate/command-api/identity/rate-limiter.ts'
import { expect, test } from 'vitest'
import { rememberedRefusals } from './remembered-refusals.ts'

test('given a refusal, when asked again before its end, then the limiter is asked only after it', async () => {
  let now = 0
  let answer: RateLimitAnswer = { isAllowed: false, retryAfterSeconds: 10 }
  const asked: string[] = []
  const limiter = rememberedRefusals(
    {
      take(key) {
        asked.push(key)
        return Promise.resolve(answer)
      },
    },
    { monotonicMs: () => now },
  )
  expect(await limiter.take('a')).toEqual({ isAllowed: false, retryAfterSeconds: 10 })
  now = 7_500
  expect(await limiter.take('a')).toEqual({ isAllowed: false, retryAfterSeconds: 3 })
  expect(asked).toEqual(['a'])
  await limiter.take('b')
  expect(asked).toEqual(['a', 'b'])
  now = 10_000
  answer = { isAllowed: true }
  expect(await limiter.take('a')).toEqual({ isAllowed: true })
  expect(await limiter.take('a')).toEqual({ isAllowed: true })
  expect(asked).toEqual(['a', 'b', 'a', 'a'])
})
