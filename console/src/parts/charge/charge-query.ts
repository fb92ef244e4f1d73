import { queryOptions } from '@tanstack/react-query'
import { get, orNull } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import type { Entered } from '../../core/read-ahead.ts'
import type { Charge } from './charge.ts'

/** A request's charge with its explanation; null when it was not charged. */
export function chargeQuery(requestId: string) {
  return queryOptions<Charge | null>({
    queryKey: ['charges', requestId],
    queryFn: ({ signal }) =>
      orNull(
        get(
          pathOf('/api/ledger/charges/{request_id}', { request_id: requestId }),
          undefined,
          signal,
        ),
      ),
    // A charge is never changed.
    staleTime: Infinity,
  })
}

/** Reads what the page of a charge shows first. */
export function readAhead({ client, params }: Entered<object, { requestId: string }>): void {
  void client.prefetchQuery(chargeQuery(params.requestId))
}
