/** Where two values of JSON differ: `path: first → second`, absent members as `nothing`. */
export function differencesOf(first: unknown, second: unknown, path = ''): readonly string[] {
  if (isObject(first) && isObject(second)) {
    const names = [...new Set([...Object.keys(first), ...Object.keys(second)])]
    return names.flatMap((name) => differencesOf(first[name], second[name], `${path}.${name}`))
  }
  if (JSON.stringify(first) === JSON.stringify(second)) return []
  return [`${path}: ${shown(first)} → ${shown(second)}`]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))
