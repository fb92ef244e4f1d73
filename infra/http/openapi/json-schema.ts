import type { Schema } from '@tollgate/command-api/http-contract/api-route.ts'
import type { z } from 'zod'

/** JSON Schema, draft 2020-12. */
export type JsonSchema = z.core.JSONSchema.JSONSchema

/** What a route answers: every member that is listed is there, and no other. */
export const answerJson = (schema: Schema<unknown>): JsonSchema => cleaned(jsonOf(schema), false)

/** What a route reads: nothing is required and more may be there (console-api 1.2, leniency). */
export const requestJson = (schema: Schema<unknown>): JsonSchema => cleaned(jsonOf(schema), true)

const jsonOf = (schema: Schema<unknown>): JsonSchema =>
  schema['~standard'].jsonSchema.output({
    target: 'draft-2020-12',
    libraryOptions: { unrepresentable: 'any' },
  })

/** Without what says nothing to a reader: the dialect and the bounds of safe integers. */
function cleaned(schema: JsonSchema, isLenient: boolean): JsonSchema {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      keyword !== '$schema' &&
      keyword !== '~standard' &&
      value !== Number.MAX_SAFE_INTEGER &&
      value !== Number.MIN_SAFE_INTEGER &&
      !(isLenient && (keyword === 'required' || keyword === 'additionalProperties')),
  )
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, cleanedValue(keyword, value, isLenient)]),
  )
}

/** Members of `properties` are names, not keywords: they are gone through one by one. */
function cleanedValue(keyword: string, value: unknown, isLenient: boolean): unknown {
  if (Array.isArray(value)) {
    return value.map((one: unknown) => (isSchema(one) ? cleaned(one, isLenient) : one))
  }
  if (!isSchema(value)) return value
  if (keyword !== 'properties') return cleaned(value, isLenient)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, cleanedValue('', one, isLenient)]),
  )
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
