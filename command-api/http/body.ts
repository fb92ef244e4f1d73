import type { Schema } from '../http-contract/api-route.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { z } from 'zod'

/**
 * JSON bodies as old clients send them: keys in any case, unknown keys ignored, `null` for the zero value. Whole
 * numbers and types are strict: a fraction, a text for a number or the other way round refuses the body.
 */
export function lenientBody<Shape extends z.ZodRawShape>(shape: Shape) {
  const nameByLowerCase = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]))
  return z.preprocess((body) => withNamedKeys(body, nameByLowerCase), z.object(shape, INVALID))
}

/**
 * A body that may be unfit, which is null then: for routes that have more to refuse before they say so (console-api 2.2).
 */
export const orNull = <Output>(schema: Schema<Output>): Schema<Output | null> => ({
  '~standard': {
    ...schema['~standard'],
    async validate(value) {
      const result = await schema['~standard'].validate(value)
      return result.issues === undefined ? result : { value: null }
    },
  },
})

/** Text that can be stored (no NUL, no lone surrogate); missing or null = ''. */
export const text = () => z.preprocess(nullTo(''), z.string(INVALID).overwrite(storableText))
/** Whole number within ±(2^53 − 1); missing or null = 0. `invalid` is the message for a value that is none. */
export const int = (invalid = INVALID) => z.preprocess(nullTo(0), z.int(invalid))
/** Any finite number; missing or null = 0. */
export const float = () => z.preprocess(nullTo(0), z.number(INVALID))
/** Truth value; missing or null = false. */
export const flag = () => z.preprocess(nullTo(false), z.boolean(INVALID))
/** Whole numbers; missing or null = none. */
export const intList = () => z.preprocess(nullTo([]), z.array(z.int(INVALID), INVALID))
/** As the schema says when there; undefined when missing or null. */
export const optional = <Value extends z.ZodType>(value: Value) =>
  z.preprocess((input) => input ?? undefined, z.optional(value))

/** One text for every misfit, as the wire contract has it. */
const INVALID = '无效的参数'

const nullTo = (zero: unknown) => (value: unknown) => value ?? zero

function withNamedKeys(body: unknown, nameByLowerCase: ReadonlyMap<string, string>): unknown {
  if (body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) return body
  const named: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(body)) {
    const name = nameByLowerCase.get(key.toLowerCase())
    // A key written exactly wins over one in another case, whichever comes first.
    if (name !== undefined && (key === name || !Object.hasOwn(body, name))) named[name] = value
  }
  return named
}
