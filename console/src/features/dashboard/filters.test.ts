import { expect, test } from 'vitest'
import { parseDashboardSearch } from './filters.ts'

test('given odd values in the address, when read, then they are left out', () => {
  expect(parseDashboardSearch({ by: 'year', range: '7d', username: '', start: 'x' })).toEqual({
    range: '7d',
  })
})
