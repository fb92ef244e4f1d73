import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileSchema } from './compile-schema.ts'
import { checkFit } from './fit.ts'

const fitOf = (type: string, version: number, data: unknown) => (): void =>
  checkFit(type, version, data)

const credit = { at: 1, amount: 10, source: 'grant', reason: '' }
const edit = { from: 1, to: 11, reasonCode: 'balance_edited', note: null }

test.each([
  ['version 1', 'QuotaCredited', 1, credit],
  ['version 2', 'QuotaCredited', 2, { ...credit, adjustment: edit }],
  ['a field of a newer relay', 'QuotaCredited', 2, { ...credit, more: 1 }],
  ['a version of a newer Tollgate', 'QuotaCredited', 3, { at: 'x' }],
  ['a type of a newer Tollgate', 'QuotaGiven', 1, { at: 'x' }],
])('given %s, when its data is checked, then it passes', (_, type, version, data) => {
  expect(fitOf(type, version, data)).not.toThrow()
})

test.each([
  ['a field less', 1, { at: 1, source: 'grant', reason: '' }, 'data.amount: '],
  ['a text for a number', 1, { ...credit, amount: '10' }, 'data.amount: '],
  ['a fraction of quota', 1, { ...credit, amount: 0.5 }, 'data.amount: '],
  ['an unknown literal', 1, { ...credit, source: 'gift' }, 'data.source: '],
  ['half an adjustment', 2, { ...credit, adjustment: { from: 1 } }, 'data.adjustment: '],
  ['no object', 1, null, 'data: '],
])('given %s, when its data is checked, then the field is named', (_, version, data, place) => {
  expect(fitOf('QuotaCredited', version, data)).toThrow(
    `QuotaCredited version ${version} does not fit its schema: ${place}`,
  )
})

const everyKind = z.object({
  text: z.string(),
  flag: z.boolean(),
  whole: z.int(),
  any: z.number(),
  one: z.literal([1, 'a']),
  name: z.enum(['x', 'y']),
  none: z.string().nullable(),
  maybe: z.int().exactOptional(),
  either: z.union([z.object({ a: z.int() }), z.object({ b: z.array(z.int()) })]),
  pairs: z.array(z.tuple([z.int(), z.string()])),
})
const fitting = {
  text: '',
  flag: false,
  whole: -1,
  any: 0.5,
  one: 'a',
  name: 'y',
  none: null,
  maybe: 1,
  either: { b: [1] },
  pairs: [[1, 'a']],
}

test.each([
  {},
  { text: 1 },
  { flag: null },
  { whole: 1.5 },
  { whole: 2 ** 53 },
  { any: '1' },
  { any: Infinity },
  { one: 2 },
  { name: 'z' },
  { none: 'n' },
  { none: 0 },
  { maybe: null },
  { either: { a: 1 } },
  { either: { b: ['1'] } },
  { either: null },
  { pairs: [[1]] },
  { pairs: [[1, 'a', 2]] },
  { pairs: {} },
  { other: 1 },
])('given a value with %o, when tested, then the compiled schema says what zod says', (change) => {
  const value = { ...fitting, ...change }
  expect(compileSchema(everyKind)(value)).toBe(everyKind.safeParse(value).success)
})

test('given a field that is absent, when tested, then only an optional one may be', () => {
  const fits = compileSchema(everyKind)
  const without = Object.keys(fitting).map((name) => {
    const { [name as keyof typeof fitting]: _, ...rest } = fitting
    return [name, fits(rest)]
  })
  expect(without.filter(([, isFitting]) => isFitting)).toEqual([['maybe', true]])
})

test('given a schema of another kind, when compiled, then it is refused', () => {
  expect(() => compileSchema(z.object({ at: z.date() }))).toThrow('cannot hold a date')
})
