import { expect, test } from 'vitest'
import type { Log } from '../../core/contract.ts'
import {
  detailsOf,
  DURATION_LIMITS,
  durationMs,
  durationTone,
  firstByteMs,
  retryPath,
} from './log-details.ts'

const withOther = (other: string) => ({ other }) as Log

test.each(['', 'null', '{', '5'])(
  'given the details %j, when read, then there are none',
  (other) => {
    const details = detailsOf(withOther(other))
    expect(retryPath(details)).toBe('')
    expect(firstByteMs(details)).toBeNull()
  },
)

test('given details, when read, then path and first byte are there', () => {
  const details = detailsOf(withOther('{"frt":420,"admin_info":{"use_channel":["3","1"]}}'))
  expect(retryPath(details)).toBe('3->1')
  expect(firstByteMs(details)).toBe(420)
  expect(firstByteMs({ frt: -1000 })).toBeNull()
})

test('given a request that its first channel answered, when read, then no retry is shown', () => {
  expect(retryPath(detailsOf(withOther('{"admin_info":{"use_channel":["5"]}}')))).toBe('')
})

test.each([
  ['{"duration_ms":450}', 0, 450],
  ['{"duration_ms":0}', 0, 0],
  ['', 2, 2000],
  ['', 0, null],
])(
  'given %j and %d whole seconds, when asked how long it took, then %s ms',
  (other, use_time, ms) => {
    expect(durationMs({ ...withOther(other), use_time })).toBe(ms)
  },
)

test.each([
  [100, 'good'],
  [101, 'warning'],
  [300, 'bad'],
])('given %d seconds, then %s', (seconds, tone) => {
  expect(durationTone(seconds, DURATION_LIMITS.total)).toBe(tone)
})

test.each([
  [2.999, 'good'],
  [3, 'warning'],
  [9.999, 'warning'],
  [10, 'bad'],
])('given %d seconds to the first byte, then %s', (seconds, tone) => {
  expect(durationTone(seconds, DURATION_LIMITS.firstByte)).toBe(tone)
})
