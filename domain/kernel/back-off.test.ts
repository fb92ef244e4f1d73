import { expect, test } from 'vitest'
import { backOffMs } from './back-off.ts'

test('given failures in a row, when waited after each, then the pause doubles up to the longest', () => {
  const pauses = [0, 1, 2, 3, 4, 1_000].map((failures) =>
    backOffMs(failures, { firstMs: 20, mostMs: 100 }),
  )
  expect(pauses).toEqual([0, 20, 40, 80, 100, 100])
  expect([backOffMs(1), backOffMs(9_999)]).toEqual([50, 2_000])
})
