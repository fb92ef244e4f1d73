import { isObject, type JsonObject } from '../../json.ts'

/** Google reads each name in camel case and in snake case (protobuf.dev/programming-guides/json). */
export const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_found, letter: string) => letter.toUpperCase())

export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Every frame is asked for the same names, most of which it does not have. */
const SNAKES = new Map<string, string>()

/** A member of an object, in either spelling; undefined where it has none. `name` is one of ours, in camel case. */
export function memberOf(object: JsonObject, name: string): unknown {
  const value = object[name]
  if (value !== undefined && value !== null) return value
  let snake = SNAKES.get(name)
  if (snake === undefined) {
    snake = snakeCase(name)
    SNAKES.set(name, snake)
  }
  return object[snake]
}

/** The same of a member that is an object; an empty one where it is none. */
export function objectIn(object: JsonObject, name: string): JsonObject {
  const value = memberOf(object, name)
  return isObject(value) ? value : {}
}

/** The same of a text; '' where it is none. */
export function textIn(object: JsonObject, name: string): string {
  const value = memberOf(object, name)
  return typeof value === 'string' ? value : ''
}

/** Objects of a list, or the one that stands in its place, as Google reads it. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  if (isObject(value)) return [value]
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** A whole number, also as text, as Google reads it; null = none. */
export function wholeIn(object: JsonObject, name: string): number | null {
  const value = memberOf(object, name)
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
}
