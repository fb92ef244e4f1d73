import { ApiError } from '../../core/api.ts'

/** The text of a failed call, with the request id that support asks for. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.kind !== 'rejected' && error.requestId)
    return `${error.message} (${error.requestId})`
  return error instanceof Error ? error.message : String(error)
}
