/** Texts by their full key, such as `tokens.name`. */
export function flattened(texts: unknown, prefix = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [key, value] of Object.entries(texts as object)) {
    if (typeof value === 'string') found.set(prefix + key, value)
    else for (const [inner, text] of flattened(value, `${prefix}${key}.`)) found.set(inner, text)
  }
  return found
}

/**
 * Keys that only one language has, empty texts, and texts whose placeholders differ between the two. English alone has
 * singulars (`rows_one` beside `rows`), which count things.
 */
export function unequalTexts(zh: unknown, en: unknown): string[] {
  const [chinese, english] = [flattened(zh), flattened(en)]
  const keys = [...new Set([...chinese.keys(), ...english.keys()])]
  return keys.flatMap((key) => {
    const [left, right] = [chinese.get(key), english.get(key)]
    const plural = key.endsWith('_one') ? english.get(key.slice(0, -'_one'.length)) : undefined
    if (plural !== undefined)
      return plural.includes('{{count}}') ? [] : [`${key} is the singular of a text without count`]
    if (!left) return [`zh lacks ${key}`]
    if (!right) return [`en lacks ${key}`]
    return placeholders(left) === placeholders(right) ? [] : [`placeholders differ in ${key}`]
  })
}

/** Keys that a file of texts, written one a line, has twice in a group: the later one wins in silence. */
export function repeatedKeys(file: string): string[] {
  const repeated: string[] = []
  const groups: Set<string>[] = []
  for (const line of file.split('\n')) {
    const key = /^\s*"([^"]+)":/.exec(line)?.[1]
    const group = groups.at(-1)
    if (key !== undefined && group?.has(key)) repeated.push(`twice: ${key}`)
    if (key !== undefined) group?.add(key)
    if (line.endsWith('{')) groups.push(new Set())
    else if (/^\s*\},?$/.test(line)) groups.pop()
  }
  return repeated
}

/** Keys that no source names, neither in full nor by a template such as `log.type_${name}`. */
export function unusedKeys(texts: unknown, sources: readonly string[]): string[] {
  const named = new Set<string>()
  const templates: RegExp[] = []
  for (const source of sources) {
    for (const [, key] of source.matchAll(/['"]([a-zA-Z0-9]+(?:\.[\w-]+)+)['"]/g))
      if (key) named.add(key)
    for (const [, template] of source.matchAll(/`([a-zA-Z0-9]+\.[^`\s]*\$\{[^`]*)`/g))
      if (template) templates.push(templatePattern(template))
  }
  return [...flattened(texts).keys()]
    .filter((key) => !named.has(key) && !templates.some((pattern) => pattern.test(key)))
    .map((key) => `unused text ${key}`)
}

function placeholders(text: string): string {
  return [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name))]
    .toSorted((left, right) => String(left).localeCompare(String(right)))
    .join()
}

function templatePattern(template: string): RegExp {
  const parts = template.split(/\$\{[^}]*\}/).map((part) => part.replaceAll('.', '\\.'))
  return new RegExp(`^${parts.join('[\\w-]+')}$`)
}
