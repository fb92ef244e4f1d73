import { isObject, type JsonObject } from '../../json.ts'

/** Levels of a schema; deeper ones no provider takes. */
const DEPTH_MAX = 32
/** Keywords that a strict schema must not have (platform.openai.com/docs/guides/structured-outputs). */
const REFUSED: ReadonlySet<string> = new Set([
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
])

/**
 * Whether OpenAI takes a schema as a strict one, which its answer is sure to follow: each object allows its own
 * properties alone and requires all of them. It refuses any other under that name.
 */
export const isStrictSchema = (schema: JsonObject): boolean =>
  schema['type'] === 'object' && !('anyOf' in schema) && isStrict(schema, 0)

function isStrict(schema: unknown, depth: number): boolean {
  if (!isObject(schema) || depth > DEPTH_MAX) return false
  if (Object.keys(schema).some((keyword) => REFUSED.has(keyword))) return false
  const { items, anyOf, properties = {} } = schema
  if (!isObject(properties) || (isOfObjects(schema) && !isClosed(schema, properties))) return false
  return [
    ...Object.values(properties),
    ...(items === undefined ? [] : [items]),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...[schema['$defs'], schema['definitions']].filter(isObject).flatMap(Object.values),
  ].every((inner) => isStrict(inner, depth + 1))
}

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))

function isClosed({ additionalProperties, required }: JsonObject, properties: JsonObject): boolean {
  const needed = new Set(Array.isArray(required) ? required : [])
  return additionalProperties === false && Object.keys(properties).every((name) => needed.has(name))
}
