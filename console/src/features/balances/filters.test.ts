import { expect, test } from 'vitest'
import { asOfQuery, parseBalancesSearch, withOneAsOf } from './filters.ts'

test('given a moment or a position in the address, when asked, then the API gets the one, in its unit', () => {
  expect(asOfQuery(parseBalancesSearch({ moment: 1_793_400_000 }))).toEqual({
    at: 1_793_400_000_000,
  })
  expect(asOfQuery(parseBalancesSearch({ position: 12, moment: 'odd' }))).toEqual({ position: 12 })
  expect(asOfQuery({})).toEqual({})
})

test('given one of the two, when the other is chosen, then the first gives way', () => {
  expect(withOneAsOf({ moment: 5, position: 9, size: 20 }, { moment: 5 })).toEqual({
    position: 9,
    size: 20,
  })
  expect(withOneAsOf({ moment: 5, position: 9 }, { position: 9 })).toEqual({ moment: 5 })
  expect(withOneAsOf({ moment: 5 }, { moment: 4 })).toEqual({ moment: 5 })
})
