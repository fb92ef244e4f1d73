import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { LedgerAccount } from '../../parts/ledger-accounts.ts'
import type { TrialBalanceSearch } from './search.ts'

/** One kind of ledger account; amounts as decimal text. */
export interface TrialBalanceRow {
  readonly account: LedgerAccount
  readonly accounts: number
  readonly debits: string
  readonly credits: string
  readonly balance: string
}

/** GET /api/audit/trial-balance. */
export interface TrialBalanceReport {
  readonly position: number
  readonly at: string | null
  /** Nothing that comes later can change it. */
  readonly final: boolean
  readonly rows: readonly TrialBalanceRow[]
  readonly total: Omit<TrialBalanceRow, 'account'>
}

/** The trial balance as of a moment or position. */
export function trialBalanceQuery({ at, position }: TrialBalanceSearch) {
  return queryOptions({
    queryKey: ['trial-balance', at, position],
    queryFn: ({ signal }) =>
      get<TrialBalanceReport>(
        '/api/audit/trial-balance',
        at === undefined ? { position } : { at: at * 1000 },
        signal,
      ),
    placeholderData: keepPreviousData,
  })
}
