/**
 * A report with the names of its members as they go over the wire: `firstBreak` → `first_break`. Values stay as they
 * are. For plain data only, as reports are.
 */
export function withSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [snakeCased(name), withSnakeCase(member)]),
  )
}

const snakeCased = (name: string): string =>
  name.replace(/[A-Z]/g, (character) => `_${character.toLowerCase()}`)
