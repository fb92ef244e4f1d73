import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '../../core/api.ts'
import { get } from '../../core/api.ts'
import type { Page } from '../../core/contract.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { BalancesSearch } from './filters.ts'
import { asOfQuery } from './filters.ts'

/** One account of GET /api/ledger/balances. */
export interface AccountBalance {
  readonly user_id: number
  readonly username: string
  readonly posted: number
  readonly held: number
  readonly available: number
  readonly affiliate: number
  /** The last posting that is in it; −1 before the first. */
  readonly position: number
}

/** GET /api/ledger/balances; totals as decimal text. */
interface BalancesPage extends Page<AccountBalance> {
  readonly totals: Readonly<Record<'posted' | 'held' | 'available' | 'affiliate', string>>
  /** Up to which position of the log. */
  readonly position: number
  /** Nothing that comes later can change it. */
  readonly final: boolean
}

const PATH = '/api/ledger/balances'

/** Where all balances are exported from. */
export const balancesAt = (search: BalancesSearch): { path: string; query: Query } => ({
  path: PATH,
  query: asOfQuery(search),
})

/** One page of balances by user id. */
export const balancesQuery = (search: BalancesSearch, pageSize: number) =>
  queryOptions<ListRows<AccountBalance>>({
    ...readingOf(search, pageSize),
    placeholderData: keepPreviousData,
  })

/** The totals of all accounts, out of the same answer. */
export const totalsQuery = (search: BalancesSearch, pageSize: number) =>
  queryOptions<BalancesPage>({
    ...readingOf(search, pageSize),
    placeholderData: keepPreviousData,
  })

function readingOf(search: BalancesSearch, pageSize: number) {
  const query = { ...asOfQuery(search), p: search.p ?? 1, page_size: pageSize }
  return {
    queryKey: ['balances', query],
    queryFn: ({ signal }: { signal: AbortSignal }) => get<BalancesPage>(PATH, query, signal),
  }
}
