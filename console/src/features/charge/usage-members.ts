/** A member of a usage object: its name, after those of the objects around it, and its value. */
export interface UsageMember {
  readonly name: string
  readonly value: number | string | boolean
}

/**
 * The members of upstream's usage object as it named them, such as `prompt_tokens_details.cached_tokens`; null for a
 * text that is no whole object.
 */
export function usageMembers(text: string): readonly UsageMember[] | null {
  try {
    const usage: unknown = JSON.parse(text)
    return typeof usage === 'object' && usage !== null ? membersOf(usage, '') : null
  } catch {
    // Only the beginning of a long object is kept.
    return null
  }
}

const membersOf = (around: object, prefix: string): readonly UsageMember[] =>
  Object.entries(around).flatMap(([key, value]: readonly [string, unknown]) => {
    const name = `${prefix}${key}`
    if (typeof value === 'object') return value === null ? [] : membersOf(value, `${name}.`)
    const isPlain =
      typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
    return isPlain ? [{ name, value }] : []
  })
