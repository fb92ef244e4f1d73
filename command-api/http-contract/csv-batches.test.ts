import { expect, test } from 'vitest'
import { below, CSV_BATCH_ROWS } from './csv-batches.ts'

/** Numbers from high to low, to which others may be added at the top. */
const listOf = (count: number): number[] => Array.from({ length: count }, (_, at) => count - at)

test.each([0, 1, CSV_BATCH_ROWS, 2 * CSV_BATCH_ROWS + 1])(
  'given %d rows, when read below the last, then all come once, in order',
  async (count) => {
    const list = listOf(count)
    const batches = below(
      async (before, limit) => list.filter((row) => row < (before ?? Infinity)).slice(0, limit),
      (row) => row,
    )
    expect((await Array.fromAsync(batches)).flat()).toEqual(list)
  },
)

test('given rows added at the top, when read below the last, then none comes twice or is left out', async () => {
  const first = listOf(3 * CSV_BATCH_ROWS)
  let list = first
  const batches = below(
    async (before, limit) => {
      const batch = list.filter((row) => row < (before ?? Infinity)).slice(0, limit)
      list = [...listOf(list.length + 7).slice(0, 7), ...list]
      return batch
    },
    (row) => row,
  )
  expect((await Array.fromAsync(batches)).flat()).toEqual(first)
})

test('given rows that leave the list meanwhile, when read below the last, then every other one comes', async () => {
  const first = listOf(3 * CSV_BATCH_ROWS)
  let list = first
  const batches = below(
    async (before, limit) => {
      const batch = list.filter((row) => row < (before ?? Infinity)).slice(0, limit)
      list = list.slice(7)
      return batch
    },
    (row) => row,
  )
  expect((await Array.fromAsync(batches)).flat()).toEqual(first)
})

test('given a list of large rows, when read below the last, then each batch has the rows it wants', async () => {
  const list = listOf(25)
  const batches = await Array.fromAsync(
    below(
      async (before, limit) => list.filter((row) => row < (before ?? Infinity)).slice(0, limit),
      (row) => row,
      10,
    ),
  )
  expect(batches.map((rows) => rows.length)).toEqual([10, 10, 5])
  expect(batches.flat()).toEqual(list)
})
