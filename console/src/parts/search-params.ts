/** Leaves out undefined, empty and default values, so that the address says only what was chosen. */
export function chosen<Search extends object>(
  search: Search,
  defaults: Partial<Search> = {},
): Search {
  const kept = Object.entries(search).filter(
    ([key, value]) =>
      value !== undefined && value !== '' && value !== (defaults as Record<string, unknown>)[key],
  )
  return Object.fromEntries(kept) as Search
}
