import { isObject, type JsonObject } from '../json.ts'

/** Two reports of one answer's usage: a later count stands for an earlier one, but a zero or garbage undoes none. */
export function mergedUsage(before: JsonObject | null, now: JsonObject): JsonObject {
  if (before === null) return now
  const members = new Map(Object.entries(before))
  for (const [name, value] of Object.entries(now)) {
    const known = members.get(name)
    if (isObject(value) && isObject(known)) members.set(name, mergedUsage(known, value))
    else if (isCount(value) || isObject(value) || !(isCount(known) || isObject(known))) {
      members.set(name, value)
    }
  }
  return Object.fromEntries(members)
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0
