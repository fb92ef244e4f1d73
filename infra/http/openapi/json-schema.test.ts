import { expect, test } from 'vitest'
import { z } from 'zod'
import { requestJson } from './json-schema.ts'

const whole = z.preprocess((value) => value ?? 0, z.int())
const said = { description: 'Said of it', enum: [1, 2] }

test.each([
  ['a preprocessed value', whole],
  ['a value that may be missing', z.preprocess((value) => value ?? undefined, z.optional(whole))],
  ['a value read from a text', z.string().transform(Number).pipe(z.int())],
  ['a value with a default', z.int().default(1)],
  ['a value that may be null', z.int().nullish()],
  ['a refined value', whole.refine((value) => value > 0)],
  ['a transformed value', whole.transform((value) => (value === 0 ? null : value))],
] as const)(
  'given %s with a description and an enumeration, when written as JSON Schema, then both are in it',
  (_, schema) => {
    const { properties } = requestJson(z.object({ member: schema.meta(said) }))
    expect(properties?.['member']).toMatchObject(said)
  },
)

test('given a body with texts by name, when written as JSON Schema, then it says that they are texts', () => {
  const { properties } = requestJson(z.object({ options: z.record(z.string(), z.string()) }))
  expect(properties?.['options']).toMatchObject({ additionalProperties: { type: 'string' } })
})
