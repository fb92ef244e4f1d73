import { expect, test } from 'vitest'
import { refreshMsOf } from './refresh.ts'

test.each([
  [1, 60_000],
  [30, 1_800_000],
  [undefined, 300_000],
  [0, 300_000],
  [9_007_199_254_740_991, 2_147_483_647],
])(
  'given an interval of %s minutes, when a dashboard is read again, then after %i ms',
  (minutes, ms) => {
    expect(refreshMsOf(minutes)).toBe(ms)
  },
)
