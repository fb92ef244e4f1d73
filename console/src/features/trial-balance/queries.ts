import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get, type Query } from '../../core/api.ts'
import type { Answer } from '../../core/calls.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { LEDGER_ACCOUNTS, type LedgerAccount } from '../../parts/ledger-accounts.ts'
import type { TrialBalanceSearch } from './search.ts'

/** The sums of the ledger accounts, as decimal text. */
export type TrialBalanceReport = Answer<'GET /api/audit/trial-balance'>

/** One kind of ledger account. */
export type KindRow = TrialBalanceReport['rows'][number] & { readonly account: LedgerAccount }

/** Rows are of kinds unless each account is asked for. */
export const isOfKind = (row: TrialBalanceReport['rows'][number]): row is KindRow =>
  LEDGER_ACCOUNTS.some((kind) => kind === row.account)

const PATH = '/api/audit/trial-balance'

const asOf = ({ at, position }: TrialBalanceSearch) =>
  at === undefined ? { position } : { at: at * 1000 }

/** Where it is exported from. */
export const trialBalanceAt = (
  search: TrialBalanceSearch,
): { path: typeof PATH; query: Query } => ({ path: PATH, query: asOf(search) })

/** The trial balance as of a moment or position. */
export function trialBalanceQuery(search: TrialBalanceSearch) {
  return queryOptions({
    queryKey: ['trial-balance', search.at, search.position],
    queryFn: ({ signal }) => get(PATH, asOf(search), signal),
    placeholderData: keepPreviousData,
  })
}

/** Reads what the screen shows first. */
export function readAhead({ client, search }: Entered<TrialBalanceSearch>): void {
  void client.prefetchQuery(trialBalanceQuery(search))
}
