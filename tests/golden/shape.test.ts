import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { armsOf, armsTaken, shapeOf } from './shape.ts'
import { shapeProblem } from './shape-problem.ts'

const before = z.strictObject({
  at: z.int(),
  source: z.enum(['grant', 'refund']),
  price: z.union([
    z.strictObject({ by: z.literal('call'), usd: z.string() }),
    z.strictObject({ by: z.literal('tokens'), ratio: z.string().nullable() }),
  ]),
  holds: z.array(z.tuple([z.string(), z.boolean()])),
})
const { shape } = before

describe('a changed shape', () => {
  test.each<[string, z.ZodType, RegExp]>([
    ['a field more', before.extend({ note: z.string() }), /data\.note: was not there, is "string"/],
    ['a field less', before.omit({ source: true }), /data\.source: was .*, is not there/],
    [
      'a field that may be absent',
      before.extend({ at: z.int().optional() }),
      /data\.at\?: was not there/,
    ],
    ['another type', before.extend({ at: z.number() }), /data\.at: was "integer", is "number"/],
    [
      'a literal more',
      before.extend({ source: z.enum([...shape.source.options, 'gift']) }),
      /data\.source: .*gift/,
    ],
    [
      'null as well',
      before.extend({ holds: shape.holds.nullable() }),
      /data\.holds: was .*, is .*null/,
    ],
    [
      'a longer tuple',
      before.extend({ holds: z.array(z.tuple([z.string(), z.boolean(), z.int()])) }),
      /data\.holds: /,
    ],
    ['an arm less', before.extend({ price: shape.price.options[0] }), /data\.price: /],
  ])('given %s, when compared with its frozen shape, then it says what to do', (_, now, place) => {
    const problem = shapeProblem('QuotaCredited', 1, shapeOf(now), shapeOf(before))
    expect(problem).toMatch(place)
    expect(problem).toContain('enter QuotaCredited: 2 in domain/schema-versions.ts')
  })

  test('given the same fields in another order, when compared, then nothing is wrong', () => {
    const now = z.strictObject({
      holds: shape.holds,
      price: z.union(shape.price.options.toReversed()),
      source: z.enum(['refund', 'grant']),
      at: z.int(),
    })
    expect(shapeProblem('QuotaCredited', 1, shapeOf(now), shapeOf(before))).toBeNull()
  })

  test('given no golden file, when compared, then it says how to write one', () => {
    expect(shapeProblem('QuotaCredited', 2, shapeOf(before), null)).toContain(
      'npm run events:freeze',
    )
  })
})

describe('the arms of a shape', () => {
  const value = { at: 1, source: 'grant', price: { by: 'call', usd: '1' }, holds: [['h', true]] }

  test('given one value, when its arms are taken, then the others are missing', () => {
    const taken = armsTaken(shapeOf(before), value) ?? []
    expect(armsOf(shapeOf(before)).filter((arm) => !taken.includes(arm))).toEqual([
      'data.holds[][1] = false',
      'data.price.by = "tokens"',
      'data.price.ratio = null',
      'data.price.ratio = string',
      'data.source = "refund"',
    ])
  })

  test.each([
    ['a missing field', { ...value, at: undefined }],
    ['a field too many', { ...value, more: 1 }],
    ['a fraction', { ...value, at: 1.5 }],
    ['an unknown literal', { ...value, source: 'gift' }],
    ['no array', { ...value, holds: {} }],
    ['a short tuple', { ...value, holds: [['h']] }],
  ])('given %s, when its arms are taken, then it is not of this shape', (_, wrong) => {
    expect(armsTaken(shapeOf(before), wrong)).toBeNull()
  })
})
