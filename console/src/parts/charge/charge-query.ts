import { queryOptions } from '@tanstack/react-query'
import { get, orNull } from '../../core/api.ts'
import type { Charge } from './charge.ts'

/** A request's charge with its explanation; null when it was not charged. */
export function chargeQuery(requestId: string) {
  return queryOptions<Charge | null>({
    queryKey: ['charges', requestId],
    queryFn: ({ signal }) =>
      orNull(
        get<Charge>(`/api/ledger/charges/${encodeURIComponent(requestId)}`, undefined, signal),
      ),
    // A charge is never changed.
    staleTime: Infinity,
  })
}
