import { ApiError } from '../../core/api.ts'

/** The problems of a form, by field. */
export type Problems<Values extends object, Problem extends string> = Partial<
  Record<keyof Values, Problem>
>

/** Codes of the server's refusals that are about one field, and that field. Name only fields that are on the screen. */
export type Refusals<Values extends object> = Readonly<Partial<Record<string, keyof Values>>>

/** The field that a failed save is about; undefined = the form as a whole. */
export function refusedField<Values extends object>(
  error: unknown,
  refusals: Refusals<Values>,
): keyof Values | undefined {
  if (!(error instanceof ApiError) || !Object.hasOwn(refusals, error.code)) return undefined
  return refusals[error.code]
}

/** True when two forms hold the same: fields one by one, lists by their members in order. */
export function isSameForm<Values extends object>(one: Values, other: Values): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof Values>
  return [...keys].every((key) => isSame(one[key], other[key]))
}

/** The record without some of its fields; the same record when it has none of them. */
export function withoutFields<Fields extends object>(
  record: Fields,
  fields: readonly string[],
): Fields {
  if (!fields.some((field) => Object.hasOwn(record, field))) return record
  const kept = Object.entries(record).filter(([key]) => !fields.includes(key))
  return Object.fromEntries(kept) as Fields
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  return isSameForm(one, other)
}
