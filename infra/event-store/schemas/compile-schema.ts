import type { z } from 'zod'

/** Whether a value is of a schema's shape. */
type Fits = (value: unknown) => boolean

/**
 * The schema as one function of plain comparisons: zod takes several times as long, as it copies what it reads. Fields
 * that the schema does not name are let through, as zod's `object` does. Throws for schemas of other kinds than stored
 * events are made of.
 */
export const compileSchema = (schema: z.core.$ZodType): Fits =>
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- made of our own schemas alone, never of input
  new Function('value', `return ${testOf(schema, 'value', 0)}`) as Fits

/** A JavaScript expression that tests what `name` holds; `depth` keeps the names of nested values apart. */
function testOf(schema: z.core.$ZodType, name: string, depth: number): string {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  const inner = `v${depth}`
  const nested = (one: z.core.$ZodType, path: string): string => testOf(one, path, depth + 1)
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other kinds of schema are refused
  switch (def.type) {
    case 'string':
    case 'boolean':
      return `typeof ${name} === '${def.type}'`
    case 'number':
      return `Number.${'format' in def ? 'isSafeInteger' : 'isFinite'}(${name})`
    case 'literal':
      return isOneOf(name, def.values)
    case 'enum':
      return isOneOf(name, Object.values(def.entries))
    case 'nullable':
      return `(${name} === null || ${nested(def.innerType, name)})`
    case 'optional':
      return `(${name} === undefined || ${nested(def.innerType, name)})`
    case 'union':
      return `(${def.options.map((option) => nested(option, name)).join(' || ')})`
    case 'array':
      return `(Array.isArray(${name}) && ${name}.every((${inner}) => ${nested(def.element, inner)}))`
    case 'tuple': {
      const items = def.items.map((item, at) => nested(item, `${name}[${at}]`))
      return `(${[`Array.isArray(${name})`, `${name}.length === ${items.length}`, ...items].join(' && ')})`
    }
    case 'object': {
      const fields = Object.entries(def.shape).map(([field, one]) =>
        nested(one, `${inner}[${JSON.stringify(field)}]`),
      )
      const isObject = [`typeof ${inner} === 'object'`, `${inner} !== null`]
      return `((${inner}) => ${[...isObject, ...fields].join(' && ')})(${name})`
    }
    default:
      throw new TypeError(`a stored event cannot hold a ${def.type}`)
  }
}

const isOneOf = (name: string, values: readonly unknown[]): string =>
  `(${values.map((value) => `${name} === ${JSON.stringify(value)}`).join(' || ')})`
