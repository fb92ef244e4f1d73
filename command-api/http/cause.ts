import type { ApiRequest } from '@tollgate/domain/ports/api-route.ts'
import type { CommandCause } from '../ledger/cause.ts'

/** The signed-in caller as the cause of what a request changes; `causationId` names the row that stands behind it. */
export const causeOf = (
  request: Pick<ApiRequest, 'caller' | 'requestId'>,
  causationId: string | null = null,
): CommandCause => ({
  actor: request.caller === null ? 'system' : `user:${request.caller.userId}`,
  correlationId: request.requestId,
  causationId,
})
