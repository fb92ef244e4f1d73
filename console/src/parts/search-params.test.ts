import { describe, expect, test } from 'vitest'
import { count, flag, natural, oneOf, readSearch, text } from './search-params.ts'

describe('readers', () => {
  test.each([
    [text, 'gpt', 'gpt'],
    [text, 4, '4'],
    [text, ['a'], undefined],
    [count, '3', 3],
    [count, 0, undefined],
    [count, 1.5, undefined],
    [count, 'many', undefined],
    [count, '', undefined],
    [count, [5], undefined],
    [count, true, undefined],
    [natural, 0, 0],
    [natural, -1, undefined],
    [natural, 1e20, undefined],
    [flag, true, true],
    [flag, 'true', true],
    [flag, 'yes', undefined],
    [oneOf(['a', 'b']), 'b', 'b'],
    [oneOf(['a', 'b']), 'c', undefined],
  ])('%o given %j, then %j', (reader, raw, value) => {
    expect(reader(raw)).toBe(value)
  })
})

test('given odd, empty and default values and foreign keys, when read, then they are left out', () => {
  const raw = { p: 1, size: 'x', name: '', other: 'y', type: 2 }
  expect(readSearch(raw, { p: count, size: count, name: text, type: natural }, { p: 1 })).toEqual({
    type: 2,
  })
})

test('given an odd value, when read, then its field is undefined, so that the address is not shown', () => {
  const raw = { size: 'x', p: 1, other: 'y' }
  const read = readSearch(raw, { p: count, size: count, name: text }, { p: 1 })
  expect({ ...raw, ...read }).toStrictEqual({ size: undefined, p: undefined, other: 'y' })
})
