import type { z } from 'zod'

/**
 * The shape of a schema, as JSON that people can read and compare: `"integer"`, `"string"`, a literal in quotes of its
 * own, `{ each: … }` for an array, `{ tuple: […] }`, `{ or: […] }`, and `{ fields: { … } }` for an object, whose
 * optional fields end in `?`.
 */
export type Shape =
  | string
  | { readonly each: Shape }
  | { readonly tuple: readonly Shape[] }
  | { readonly or: readonly Shape[] }
  | { readonly fields: { readonly [name: string]: Shape } }

/** The shape of a schema made of objects, arrays, tuples, unions, literals and plain values; throws for anything else. */
export function shapeOf(schema: z.core.$ZodType): Shape {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other kinds of schema are refused
  switch (def.type) {
    case 'string':
    case 'boolean':
      return def.type
    case 'number':
      return isInteger(def) ? 'integer' : 'number'
    case 'literal':
      return orOf(def.values.map((value) => JSON.stringify(value)))
    case 'enum':
      return orOf(Object.values(def.entries).map((value) => JSON.stringify(value)))
    case 'nullable':
      return orOf([shapeOf(def.innerType), 'null'])
    case 'union':
      return orOf(def.options.map(shapeOf))
    case 'array':
      return { each: shapeOf(def.element) }
    case 'tuple':
      return { tuple: def.items.map(shapeOf) }
    case 'object':
      return { fields: Object.fromEntries(Object.entries(def.shape).map(fieldOf).sort(byName)) }
    default:
      throw new TypeError(`a stored event cannot hold a ${def.type}`)
  }
}

/** Every place of a value of this shape where it can be one thing or another, such as `request.price = "call"`. */
export function armsOf(shape: Shape, path = 'data'): readonly string[] {
  if (shape === 'boolean') return [`${path} = true`, `${path} = false`]
  if (typeof shape === 'string') return [`${path} = ${shape}`]
  if ('each' in shape) return armsOf(shape.each, `${path}[]`)
  if ('tuple' in shape) return shape.tuple.flatMap((item, at) => armsOf(item, `${path}[${at}]`))
  if ('or' in shape) return shape.or.flatMap((arm) => armsOf(arm, path))
  return Object.entries(shape.fields).flatMap(([name, field]) =>
    name.endsWith('?')
      ? [`${path}.${name} = absent`, ...armsOf(field, `${path}.${name.slice(0, -1)}`)]
      : armsOf(field, `${path}.${name}`),
  )
}

/** The arms that a value takes; null when it is not of this shape. */
export function armsTaken(shape: Shape, value: unknown, path = 'data'): readonly string[] | null {
  if (typeof shape === 'string')
    return isPlain(shape, value) ? [plainArm(shape, value, path)] : null
  if ('or' in shape) return firstOf(shape.or.map((arm) => armsTaken(arm, value, path)))
  if ('each' in shape) {
    return Array.isArray(value)
      ? allOf(value.map((item) => armsTaken(shape.each, item, `${path}[]`)))
      : null
  }
  if ('tuple' in shape) {
    return Array.isArray(value) && value.length === shape.tuple.length
      ? allOf(shape.tuple.map((item, at) => armsTaken(item, value[at], `${path}[${at}]`)))
      : null
  }
  return armsOfObject(shape.fields, value, path)
}

function armsOfObject(
  fields: { readonly [name: string]: Shape },
  value: unknown,
  path: string,
): readonly string[] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const given = new Map(Object.entries(value))
  const arms = Object.entries(fields).map(([field, shape]) => {
    const isOptional = field.endsWith('?')
    const name = isOptional ? field.slice(0, -1) : field
    if (isOptional && !given.has(name)) return [`${path}.${field} = absent`]
    const taken = given.has(name) ? armsTaken(shape, given.get(name), `${path}.${name}`) : null
    given.delete(name)
    return taken
  })
  return given.size === 0 ? allOf(arms) : null
}

const plainArm = (shape: string, value: unknown, path: string): string =>
  `${path} = ${shape === 'boolean' ? String(value) : shape}`

function isPlain(shape: string, value: unknown): boolean {
  switch (shape) {
    case 'integer':
      return Number.isSafeInteger(value)
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === shape
    default:
      return JSON.stringify(value) === shape
  }
}

const isInteger = (def: object): boolean => 'format' in def && def.format === 'safeint'

const orOf = (arms: readonly Shape[]): Shape => {
  const flat = arms.flatMap((arm) => (typeof arm === 'object' && 'or' in arm ? arm.or : [arm]))
  const [only] = flat
  return flat.length === 1 && only !== undefined ? only : { or: flat.toSorted(byText) }
}

const byText = (a: Shape, b: Shape): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const byName = ([a]: readonly [string, Shape], [b]: readonly [string, Shape]): number =>
  a < b ? -1 : 1

function fieldOf([name, field]: [string, z.core.$ZodType]): [string, Shape] {
  const { def } = field._zod as z.core.$ZodTypes['_zod']
  return def.type === 'optional' ? [`${name}?`, shapeOf(def.innerType)] : [name, shapeOf(field)]
}

const allOf = (parts: ReadonlyArray<readonly string[] | null>): readonly string[] | null =>
  parts.some((part) => part === null) ? null : parts.flatMap((part) => part ?? [])

const firstOf = (parts: ReadonlyArray<readonly string[] | null>): readonly string[] | null =>
  parts.find((part) => part !== null) ?? null
