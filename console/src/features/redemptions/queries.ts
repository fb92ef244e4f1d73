import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { get } from '../../core/api.ts'
import type { Redemption } from '../../core/contract.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { filtersSet, listQuery } from '../../parts/list/filters.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { RedemptionSearch } from './filters.ts'
import { REDEMPTION_FILTERS } from './filters.ts'

/** Where the codes under the filters are read, and exported from. */
export const redemptionsAt = (
  search: RedemptionSearch,
): { path: '/api/redemption/search' | '/api/redemption/'; query: Query } => ({
  path: filtersSet(REDEMPTION_FILTERS, search) > 0 ? '/api/redemption/search' : '/api/redemption/',
  query: listQuery(REDEMPTION_FILTERS, search, { isAdmin: true, nowSeconds: 0 }),
})

/** One page of the codes under the filters, newest first. */
export function redemptionsQuery(search: RedemptionSearch, pageSize: number) {
  const { path, query: filters } = redemptionsAt(search)
  const query = { ...filters, p: search.p ?? 1, page_size: pageSize }
  return queryOptions<ListRows<Redemption>>({
    queryKey: ['redemptions', query],
    queryFn: ({ signal }) => get(path, query, signal),
    placeholderData: keepPreviousData,
  })
}

/** Reads what the list shows first. */
export function readAhead({ client, search, pageSize }: Entered<RedemptionSearch>): void {
  void client.prefetchQuery(redemptionsQuery(search, pageSize))
}

/** One code by its id; null when there is none. */
export function redemptionQuery(id: string) {
  return queryOptions<Redemption | null>({
    queryKey: ['redemptions', 'one', id],
    queryFn: async ({ signal }) => {
      if (!/^\d+$/.test(id)) return null
      const query = { keyword: id, p: 1, page_size: 100 }
      const { items } = await get('/api/redemption/search', query, signal)
      return items.find((code) => String(code.id) === id) ?? null
    },
  })
}
