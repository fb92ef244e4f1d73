import { expect, test } from 'vitest'
import type { Filters } from './filters.ts'
import { filtered, filtersSet, listQuery, listSearchReader } from './filters.ts'

const FILTERS = {
  range: { kind: 'range', label: 'range.label' },
  keyword: { kind: 'text', label: 'action.search' },
  quota: { kind: 'amount', label: 'quota.raw' },
  status: {
    kind: 'one',
    label: 'action.search',
    options: [{ value: '1', label: 'action.enable' }],
  },
  who: { kind: 'userId', label: 'action.search', api: 'user_id', isAdmin: true },
  distinct: { kind: 'flag', label: 'action.search', api: 'is_distance' },
} as const satisfies Filters

const read = listSearchReader(FILTERS)
const NOW = 1_000_000
const query = (raw: Record<string, unknown>, isAdmin = true) =>
  JSON.parse(JSON.stringify(listQuery(FILTERS, read(raw), { isAdmin, nowSeconds: NOW })))

test.each([
  [
    { keyword: 12, p: '2', size: 20 },
    { keyword: '12', p: 2, size: 20 },
  ],
  [
    { p: 1, quota: '0', sort: '-id', row: 7 },
    { quota: 0, sort: '-id', row: '7' },
  ],
  [{ keyword: '', quota: 'x', who: -1, status: 9, range: '2y', edit: 'a', add: 'no' }, {}],
  [
    { status: 1, distinct: 'true', add: true, edit: '5' },
    { status: '1', distinct: true, add: true, edit: 5 },
  ],
])('given the address %j, when read, then it is %j', (raw, search) => {
  expect(read(raw)).toEqual(search)
})

test.each([
  [{}, true, {}],
  [{ keyword: 'a', who: 3, p: 4 }, true, { keyword: 'a', user_id: 3 }],
  [{ who: 3 }, false, {}],
  [{ distinct: true, status: '1' }, true, { is_distance: true, status: '1' }],
  [{ range: '1h' }, true, { start_timestamp: 996_360 }],
  [{ start: 5, end: 9 }, true, { start_timestamp: 5, end_timestamp: 9 }],
])('given %j, administrator %j, when asked for, then the query is %j', (raw, isAdmin, asked) => {
  expect(query(raw, isAdmin)).toEqual(asked)
})

test('given page 3 with an open row, when a filter is changed, then the first page opens without the row', () => {
  const search = read({ keyword: 'a', quota: 5, p: 3, size: 20, row: 'x' })
  expect(filtered(search, { keyword: 'b' })).toEqual({ keyword: 'b', quota: 5, size: 20 })
  expect(filtered(search, { keyword: '' })).toEqual({ quota: 5, size: 20 })
  expect(filtersSet(FILTERS, search)).toBe(2)
  expect(filtersSet(FILTERS, read({ start: 3 }))).toBe(1)
})
