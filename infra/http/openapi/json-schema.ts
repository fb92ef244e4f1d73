import type { Schema } from '@tollgate/command-api/http-contract/api-route.ts'
import type { z } from 'zod'

/** JSON Schema, draft 2020-12. */
export type JsonSchema = z.core.JSONSchema.JSONSchema

/** The schema of a route's answer: every member that is listed is there, and no other. */
export const answerJson = (schema: Schema<unknown>): JsonSchema => cleaned(jsonOf(schema), false)

/** The schema of a route's input: nothing is required and more may be there (console-api 1.2, leniency). */
export const requestJson = (schema: Schema<unknown>): JsonSchema => cleaned(jsonOf(schema), true)

/** The same schema for readers of answers, who are to bear members that later versions add. */
export const openJson = (schema: JsonSchema): JsonSchema =>
  without(schema, (keyword, value) => keyword === 'additionalProperties' && value === false)

const jsonOf = (schema: Schema<unknown>): JsonSchema =>
  schema['~standard'].jsonSchema.output({
    target: 'draft-2020-12',
    libraryOptions: { unrepresentable: 'any' },
  })

/** Without what says nothing to a reader: the dialect and the bounds of safe integers. */
const cleaned = (schema: JsonSchema, isLenient: boolean): JsonSchema =>
  without(
    schema,
    (keyword, value) =>
      keyword === '$schema' ||
      keyword === '~standard' ||
      value === Number.MAX_SAFE_INTEGER ||
      value === Number.MIN_SAFE_INTEGER ||
      (isLenient &&
        (keyword === 'required' || (keyword === 'additionalProperties' && value === false))),
  )

type IsLeftOut = (keyword: string, value: unknown) => boolean

/** A schema without some keywords, at every depth. */
const without = (schema: JsonSchema, isLeftOut: IsLeftOut): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => !isLeftOut(keyword, value))
      .map(([keyword, value]) => [keyword, valueWithout(keyword, value, isLeftOut)]),
  )

/** Members of `properties` are names, not keywords: they are gone through one by one. */
function valueWithout(keyword: string, value: unknown, isLeftOut: IsLeftOut): unknown {
  if (Array.isArray(value)) {
    return value.map((one: unknown) => (isSchema(one) ? without(one, isLeftOut) : one))
  }
  if (!isSchema(value)) return value
  if (keyword !== 'properties') return without(value, isLeftOut)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, valueWithout('', one, isLeftOut)]),
  )
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
