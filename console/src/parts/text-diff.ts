/** One entry or line that differs between two texts; `name` is the entry's, of JSON objects. */
export type Difference =
  | { readonly kind: 'added'; readonly name?: string; readonly text: string }
  | { readonly kind: 'removed'; readonly name?: string; readonly text: string }
  | { readonly kind: 'changed'; readonly name: string; readonly old: string; readonly text: string }

/**
 * The differences between two texts: entries by name where both are JSON objects, else lines, the removed ones first.
 */
export function textDifferences(old: string, text: string): readonly Difference[] {
  const [before, after] = [entriesOf(old), entriesOf(text)]
  return before && after ? entryDifferences(before, after) : lineDifferences(old, text)
}

function entryDifferences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Difference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names.flatMap((name): Difference[] => {
    const [old, text] = [before.get(name), after.get(name)]
    if (old === text) return []
    if (text === undefined) return [{ kind: 'removed', name, text: old ?? '' }]
    return [
      old === undefined ? { kind: 'added', name, text } : { kind: 'changed', name, old, text },
    ]
  })
}

function lineDifferences(old: string, text: string): Difference[] {
  const [before, after] = [linesOf(old), linesOf(text)]
  return [
    ...without(before, after).map((line) => ({ kind: 'removed', text: line }) as const),
    ...without(after, before).map((line) => ({ kind: 'added', text: line }) as const),
  ]
}

/** The lines that others lack; one that stands twice here and once there is left once. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

/** The entries of a JSON object, their values as JSON; null when the text is none. An empty text is an empty object. */
function entriesOf(text: string): ReadonlyMap<string, string> | null {
  if (text.trim() === '') return new Map()
  try {
    const value: unknown = JSON.parse(text)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
    return new Map(Object.entries(value).map(([name, entry]) => [name, JSON.stringify(entry)]))
  } catch {
    // No JSON: it is compared by lines.
    return null
  }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'))
