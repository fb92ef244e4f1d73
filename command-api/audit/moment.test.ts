import { expect, test } from 'vitest'
import { momentOf } from './trial-balance.ts'

const NOON = Date.UTC(2026, 1, 3, 12)

test.each([
  ['2026-02-03T12:00:00Z', NOON],
  ['2026-02-03T12:00Z', NOON],
  ['2026-02-03T20:00:00.000+08:00', NOON],
  ['2026-02-03', Date.UTC(2026, 1, 3)],
])('given %s, when read, then it is that moment wherever it is read', (written, at) => {
  expect(momentOf(written)).toEqual({ type: 'time', at })
})

test.each([
  '2026-02-03T12:00:00',
  '2026-02-03T12:00',
  '2026-02-03 12:00',
  '2026-02-03T12',
  '2026-02-30',
  'noon',
])('given %s, when read, then it is no moment', (written) => {
  expect(momentOf(written)).toBeNull()
})

test('given nothing or a number, when read, then it is now or a time in milliseconds, never a position', () => {
  expect([momentOf(null), momentOf(' '), momentOf('812')]).toEqual([
    { type: 'now' },
    { type: 'now' },
    { type: 'time', at: 812 },
  ])
})
