import { createTestDatabase, type TestDatabase } from '@tollgate/tests/support/engines/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyText, unnest, valuesOf } from './columns.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const COLUMNS = {
  big: 'bigint',
  medium: 'int',
  small: 'smallint',
  yes: 'boolean',
  words: 'text',
  id: 'uuid',
} as const

const id = '0f8fad5b-d9cb-469f-a165-70867728950e'

test('given rows of every type and nulls, when they pass through unnest, then they come back as they were', async () => {
  const rows = [
    { big: 2 ** 53 - 1, medium: -7, small: 3, yes: true, words: 'a "quoted" \\ 文字 😀', id },
    { big: -(2 ** 53) + 1, medium: 0, small: -1, yes: false, words: '', id },
    { big: -1, medium: 1, small: 1, yes: false, words: 'NULL', id },
    { big: null, medium: null, small: null, yes: null, words: null, id: null },
  ]
  const { rows: found } = await database.pool.query(`select * from ${unnest(COLUMNS)}`, [
    ...valuesOf(rows, COLUMNS),
  ])
  expect(found).toEqual(rows)
})

test('given texts that PostgreSQL cannot store, when written, then NUL and half characters are gone', async () => {
  const columns = { words: 'text' } as const
  const { rows } = await database.pool.query(`select * from ${unnest(columns)}`, [
    ...valuesOf([{ words: 'a\u0000b' }, { words: 'x\ud800y' }], columns),
  ])
  expect(rows).toEqual([{ words: 'ab' }, { words: 'x\ufffdy' }])
})

test('given texts that would be stored alike, when they are used as keys, then they are one key', () => {
  expect(keyText('m\ud800')).toBe(keyText('m\udbff'))
  expect(keyText('m\u0000')).toBe('m')
  expect(keyText('x'.repeat(400))).toHaveLength(255)
})

test.each([
  ['a fraction', { big: 1.5 }, { big: 'bigint' }, '1.5 is no whole number'],
  ['a text for a number', { big: '1' }, { big: 'bigint' }, '1 is no whole number'],
  ['no UUID', { id: 'nonsense' }, { id: 'uuid' }, 'nonsense is no UUID'],
] as const)(
  'given %s, when it is to be written, then it is refused',
  (_, row, columns, message) => {
    expect(() => valuesOf([row], columns)).toThrow(message)
  },
)
