import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { isStrictSchema } from './strict-schema.ts'

const closed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})
const TEXT = { type: 'string' }
/** As Google's and Anthropic's clients may write it. */
const OPEN = { type: 'object', properties: { city: TEXT }, required: ['city'] }

test.each<[what: string, schema: JsonObject]>([
  ['no properties', closed({})],
  [
    'lists, choices and definitions',
    {
      ...closed({
        cities: { type: 'array', items: closed({ name: TEXT }) },
        best: { anyOf: [closed({ name: TEXT }), { type: 'null' }] },
        other: { $ref: '#/$defs/city' },
      }),
      $defs: { city: closed({ name: TEXT }) },
    },
  ],
  ['a property named as a keyword', closed({ allOf: TEXT, required: TEXT })],
])('given a schema with %s, when all of it is closed, then it is strict', (_what, schema) => {
  expect(isStrictSchema(schema)).toBe(true)
})

test.each<[what: string, schema: JsonObject]>([
  ['an object that is open', OPEN],
  ['a property that is not required', closed({ city: TEXT }, { required: [] })],
  ['an open object in a list', closed({ cities: { type: 'array', items: OPEN } })],
  ['an open object among choices', closed({ city: { anyOf: [OPEN, { type: 'null' }] } })],
  ['an open object that may be null', closed({ city: { type: ['object', 'null'] } })],
  ['an open definition', { ...closed({}), $defs: { city: OPEN } }],
  ['a keyword that OpenAI refuses', closed({ city: { allOf: [TEXT] } })],
  ['a list at its root', { type: 'array', items: TEXT }],
  ['choices at its root', closed({}, { anyOf: [closed({})] })],
  ['a property of any shape', closed({ city: true })],
])('given a schema with %s, when looked at, then it is not strict', (_what, schema) => {
  expect(isStrictSchema(schema)).toBe(false)
})

test('given a schema of endless depth, when looked at, then it is not strict', () => {
  let schema: JsonObject = closed({})
  for (let depth = 0; depth < 5_000; depth += 1) schema = closed({ deeper: schema })
  expect(isStrictSchema(schema)).toBe(false)
})
