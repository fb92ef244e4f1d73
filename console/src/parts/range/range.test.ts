import { expect, test } from 'vitest'
import { boundsOf, rangeOf, rangeSearch } from './range.ts'

test.each([{}, { range: '7d' as const }, { start: 100 }, { start: 100, end: 200 }])(
  'given the address fields %j, when read and written, then they are the same',
  (search) => {
    expect(rangeSearch(rangeOf(search))).toEqual(search)
  },
)

test('given a name and dates, when read, then the name wins', () => {
  expect(rangeOf({ range: '1h', start: 5 })).toEqual({ type: 'preset', preset: '1h' })
})

test('given a named range, when bounded, then it starts on a minute and stays open to now', () => {
  expect(boundsOf({ type: 'preset', preset: '1h' }, 1_000_000_030)).toEqual({ start: 999_996_420 })
  expect(boundsOf({ type: 'all' }, 5)).toEqual({})
})
