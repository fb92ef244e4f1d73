import { expect, test } from 'vitest'
import { nextSort, sortRows } from './sort-rows.ts'
import type { Column } from './table-features.ts'

interface Row {
  readonly id: number
  readonly name: string
}

const columns = [
  { id: 'name', header: '', meta: { sortBy: (row: Row) => row.name } },
  { accessorKey: 'id', header: '', meta: { sortBy: (row: Row) => row.id } },
  { id: 'plain', header: '' },
] as unknown as readonly Column<Row>[]
const rows = [
  { id: 1, name: 'b10' },
  { id: 3, name: 'b9' },
  { id: 2, name: 'b10' },
]

test.each([
  [undefined, [1, 3, 2]],
  ['plain', [1, 3, 2]],
  ['gone', [1, 3, 2]],
  ['id', [1, 2, 3]],
  ['-id', [3, 2, 1]],
  ['name', [3, 1, 2]],
  ['-name', [1, 2, 3]],
])('given the sort %j, when rows are sorted, then their order is %j', (sort, order) => {
  expect(sortRows(rows, columns, sort).map(({ id }) => id)).toEqual(order)
})

test('given clicks on one header and another, when sorted, then down, up, unsorted and the other down', () => {
  expect(nextSort(undefined, 'id')).toBe('-id')
  expect(nextSort('-id', 'id')).toBe('id')
  expect(nextSort('id', 'id')).toBeUndefined()
  expect(nextSort('id', 'name')).toBe('-name')
})
