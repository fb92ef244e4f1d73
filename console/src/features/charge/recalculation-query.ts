import { queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import { type Answer, pathOf } from '../../core/calls.ts'

/** A charge worked out again from its sources, each step beside what was charged. */
export type Recalculation = Answer<'GET /api/ledger/charges/{request_id}/recalculation'>

export const recalculationQuery = (requestId: string) =>
  queryOptions<Recalculation>({
    queryKey: ['charges', 'recalculated', requestId],
    queryFn: ({ signal }) =>
      get(
        pathOf('/api/ledger/charges/{request_id}/recalculation', { request_id: requestId }),
        undefined,
        signal,
      ),
    staleTime: Infinity,
  })
