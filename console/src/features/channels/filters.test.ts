import { expect, test } from 'vitest'
import { isSearching, parseChannelSearch } from './filters.ts'

test.each([
  [{ keyword: 'azure', p: 2 }, { keyword: 'azure', p: 2 }, true],
  [{ p: '3', size: '50' }, { p: 3, size: 50 }, false],
  [{ p: -1, size: 'many', group: '' }, {}, false],
])('given the address %j, when read, then %j', (raw, parsed, searching) => {
  const filters = parseChannelSearch(raw)
  expect(filters).toEqual(parsed)
  expect(isSearching(filters)).toBe(searching)
})
