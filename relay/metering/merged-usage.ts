import { isObject, type JsonObject } from '../json.ts'

/** Two reports of one answer's usage: a later count stands for an earlier one, but a zero or garbage undoes none. */
export function mergedUsage(before: JsonObject | null, now: JsonObject): JsonObject {
  if (before === null) return now
  // Some streams report with every frame, mostly the same: a copy is made for what differs alone.
  let changed: [name: string, value: unknown][] | null = null
  for (const name of Object.keys(now)) {
    const value = now[name]
    const known = Object.hasOwn(before, name) ? before[name] : undefined
    const next = isObject(value) && isObject(known) ? mergedUsage(known, value) : value
    if (next === known || !(replaces(value) || !replaces(known))) continue
    changed ??= []
    changed.push([name, next])
  }
  return changed === null ? before : { ...before, ...Object.fromEntries(changed) }
}

/** Whether a value tells of usage; of others, the later one is as good as the earlier. */
const replaces = (value: unknown): boolean => isCount(value) || isObject(value)

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0
