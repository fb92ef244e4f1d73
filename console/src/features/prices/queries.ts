import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get, type Query } from '../../core/api.ts'
import { type Answer, pathOf, type Row } from '../../core/calls.ts'
import type { Entered } from '../../core/read-ahead.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { PricesSearch } from './filters.ts'

/** A revision of prices; times in unix milliseconds. Number 0, revision −1, are the defaults. */
export type PriceRevision = Row<'GET /api/ledger/prices'> & {
  /** All that it changes; not in lists. */
  readonly changes?: readonly PriceEntry[]
}

/** One price that a revision changes; null = no entry. */
export type PriceEntry = Answer<'GET /api/ledger/prices/{revision}'>['changes'][number]

const PATH = '/api/ledger/prices'

/** One page of revisions, newest first. */
export function revisionsQuery(search: PricesSearch, pageSize: number) {
  return queryOptions<ListRows<PriceRevision>>({
    queryKey: ['prices', 'list', search.model, search.group, search.after, pageSize],
    queryFn: async ({ signal }) => {
      const { model, group, after } = search
      const query = { model, group, after, limit: pageSize }
      const { items, next } = await get(PATH, query, signal)
      return { items, next: next === null ? null : String(next) }
    },
    placeholderData: keepPreviousData,
  })
}

/** Where all revisions under the filters are exported from. */
export const revisionsAt = ({
  model,
  group,
}: PricesSearch): { path: typeof PATH; query: Query } => ({ path: PATH, query: { model, group } })

/** Reads what the list shows first. */
export function readAhead({ client, search, pageSize }: Entered<PricesSearch>): void {
  void client.prefetchQuery(revisionsQuery(search, pageSize))
}

/** One revision by the position that charges name, with all that it changes. */
export function revisionQuery(revision: string | number) {
  return queryOptions<PriceRevision | null>({
    queryKey: ['prices', 'one', String(revision)],
    queryFn: ({ signal }) =>
      get(pathOf('/api/ledger/prices/{revision}', { revision }), undefined, signal),
  })
}

/**
 * A model's price from a moment on, unix milliseconds, null for the defaults; amounts in quota as decimal texts, for a
 * million tokens or a call.
 */
export type PriceStep = Answer<'GET /api/ledger/prices/steps'>['steps'][number]

/** Factors of the prices of tokens under terms of a request; decimal texts. */
export type PriceFactors = NonNullable<PriceStep['factors']>

/** A model's price in a group through time. */
export const stepsQuery = (model: string, group: string) =>
  queryOptions({
    queryKey: ['prices', 'steps', model, group],
    queryFn: ({ signal }) => get('/api/ledger/prices/steps', { model, group }, signal),
    placeholderData: keepPreviousData,
  })
