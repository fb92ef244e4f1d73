import type { Usage } from '@tollgate/domain/pricing/usage.ts'

/**
 * The members of upstream's usage object that its counts come from, as paths (`prompt_tokens_details.cached_tokens`):
 * counts above zero without which, or with one more, `usageIn` reads other usage. Found by trying, so that it holds for
 * every provider's names. Empty for a text that is no object or tells nothing.
 */
export function countedMembers(
  json: string,
  usageIn: (json: string) => Usage | null,
): readonly string[] {
  const report: unknown = JSON.parse(json)
  const usage = JSON.stringify(usageIn(json))
  const isOther = (tried: unknown): boolean =>
    JSON.stringify(usageIn(JSON.stringify(tried))) !== usage
  return countsIn(report, []).flatMap(({ path, count }) =>
    isOther(withAt(report, path, undefined)) || isOther(withAt(report, path, count + 1))
      ? [path.join('.')]
      : [],
  )
}

interface Counted {
  readonly path: readonly string[]
  readonly count: number
}

function countsIn(value: unknown, path: readonly string[]): readonly Counted[] {
  if (typeof value === 'number') return value > 0 ? [{ path, count: value }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => countsIn(member, [...path, key]))
}

/** A copy with another value at a path; undefined leaves the member out. */
function withAt(value: unknown, [key, ...rest]: readonly string[], put: unknown): unknown {
  if (key === undefined) return put
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string,
    unknown
  >
  copy[key] = withAt(copy[key], rest, put)
  return copy
}
