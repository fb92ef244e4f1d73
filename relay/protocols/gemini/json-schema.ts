import { isObject, type JsonObject } from '../../json.ts'
import { camelCase } from './names.ts'

/** Levels of a schema; deeper ones no provider takes. */
const DEPTH_MAX = 32

/**
 * Google's own schema (ai.google.dev/api/caching#Schema) as a JSON schema: types in small letters, `nullable` as a
 * further type, lengths as numbers, no order of properties.
 */
export function jsonSchema(schema: JsonObject, depth = 0): JsonObject {
  if (depth > DEPTH_MAX) return {}
  const members = Object.entries(schema).flatMap(([key, value]): Array<[string, unknown]> => {
    const name = camelCase(key)
    if (name === 'nullable' || name === 'propertyOrdering') return []
    if (name === 'type') return [[name, typeOf(value, schema['nullable'] === true)]]
    if (name === 'properties' && isObject(value)) {
      const inner = Object.entries(value).map(([one, of]) => [one, within(of, depth)])
      return [[name, Object.fromEntries(inner)]]
    }
    if (name === 'items') return [[name, within(value, depth)]]
    if (name === 'anyOf' && Array.isArray(value))
      return [[name, value.map((of) => within(of, depth))]]
    return [[name, LENGTHS.has(name) && typeof value === 'string' ? Number(value) : value]]
  })
  return Object.fromEntries(members)
}

const within = (value: unknown, depth: number): unknown =>
  isObject(value) ? jsonSchema(value, depth + 1) : value

/** Written as text, for they may be large. */
const LENGTHS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
])

function typeOf(type: unknown, isNullable: boolean): unknown {
  const named = typeof type === 'string' ? type.toLowerCase() : type
  return isNullable ? [named, 'null'] : named
}
