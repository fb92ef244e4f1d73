import { infiniteQueryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Row } from '../../core/calls.ts'
import type { OptionKey, SectionName } from './options.ts'
import { keysOf } from './options.ts'

/** A change of an option; a secret's texts are null. */
export type OptionHistoryEntry = Row<'GET /api/option/history'> & { readonly key: OptionKey }

interface HistoryPage {
  readonly items: readonly OptionHistoryEntry[]
  /** Continues; null at the first change of all. */
  readonly next_before: number | null
}

/** How many changes of a section are shown at a time, at least, while there are older ones. */
const SHOWN_MIN = 20
/** Changes of all options read in one call, and calls for one page: other sections' changes are skipped. */
const LIMIT = 100
const CALLS_MAX = 5

/** The changes of a section's options, newest first. */
export const sectionHistoryQuery = (name: SectionName) =>
  infiniteQueryOptions({
    queryKey: ['options', 'history', name],
    queryFn: ({ pageParam, signal }) => pageOf(new Set(keysOf(name)), pageParam, signal),
    initialPageParam: null as number | null,
    getNextPageParam: (page: HistoryPage) => page.next_before,
  })

const isOf =
  (keys: ReadonlySet<string>) =>
  (change: Row<'GET /api/option/history'>): change is OptionHistoryEntry =>
    keys.has(change.key)

async function pageOf(
  keys: ReadonlySet<OptionKey>,
  from: number | null,
  signal: AbortSignal,
): Promise<HistoryPage> {
  const items: OptionHistoryEntry[] = []
  let before = from
  for (let call = 0; call < CALLS_MAX; call++) {
    const query = { key: '', limit: LIMIT, ...(before === null ? {} : { before }) }
    const page = await get('/api/option/history', query, signal)
    items.push(...page.items.filter(isOf(keys)))
    before = page.next_before
    if (before === null || items.length >= SHOWN_MIN) break
  }
  return { items, next_before: before }
}
