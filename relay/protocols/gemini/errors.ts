import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import type { UpstreamError } from '../../upstream/errors.ts'
import { objectsIn, textIn } from './names.ts'

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

/**
 * Google names an error by its status, and a bad key in its details. Its code is a number, which repeats the answer's
 * status: clients of other protocols expect a name there.
 */
export function namedError(error: UpstreamError): UpstreamError {
  const { code: number, ...members } = error.members ?? {}
  const { status, details } = members
  const reason = objectsIn(details).map((one) => textIn(one, 'reason'))
  return {
    ...error,
    code: reason.includes('API_KEY_INVALID') ? 'invalid_api_key' : error.code,
    type: typeof status === 'string' ? status : error.type,
    members: typeof number === 'string' ? { code: number, ...members } : members,
  }
}
