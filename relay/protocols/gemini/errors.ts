import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'

/** Google's name of a status (google.rpc.Code); of others the nearest. */
const STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [501, 'UNIMPLEMENTED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

/** Google's error object (cloud.google.com/apis/design/errors); our code stands as the reason of its details. */
function errorObject(why: Refusal, requestId: string): JsonObject {
  const { status, details } = why.members
  const reason = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: why.code,
    domain: 'tollgate',
    metadata: { requestId, ...(why.param !== '' && { field: why.param }) },
  }
  return {
    code: why.status,
    message: `${why.message} (request id: ${requestId})`,
    status: typeof status === 'string' ? status : statusName(why.status),
    details: Array.isArray(details) ? details : [reason],
  }
}

const statusName = (status: number): string =>
  STATUS.get(status) ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')

export const errorBody = (why: Refusal, requestId: string): string =>
  JSON.stringify({ error: errorObject(why, requestId) })

/** The same as an event of a stream. */
export const errorEvent = (why: Refusal, requestId: string): string =>
  `data: ${errorBody(why, requestId)}\n\n`
