import { expect, test } from 'vitest'
import { durationText } from './duration.ts'

test.each([
  [0, { name: 'milliseconds', n: '0' }],
  [999.4, { name: 'milliseconds', n: '999' }],
  [999.6, { name: 'seconds', n: '1.0' }],
  [2345, { name: 'seconds', n: '2.3' }],
  [59_940, { name: 'seconds', n: '59.9' }],
  [59_960, { name: 'minutes', minutes: '1', seconds: '0' }],
  [125_000, { name: 'minutes', minutes: '2', seconds: '5' }],
])('given %d ms, when written, then %j', (milliseconds, text) => {
  expect(durationText(milliseconds)).toEqual(text)
})
