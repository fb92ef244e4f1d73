import type { UpstreamError } from '../upstream/errors.ts'

/** The client's own mistakes: another channel would answer the same (decision 13). */
const CLIENT_MISTAKES = new Set([400, 404, 413, 422])
/** The channel's key or balance, a full queue, a redirect to elsewhere, a timeout: another channel may answer. */
const RETRIED = new Set([307, 401, 402, 403, 408, 429])

/** Whether another channel may do better. Goes by the status after the channel's status_code_mapping. */
export function isRetryable(error: UpstreamError): boolean {
  if (CLIENT_MISTAKES.has(error.status)) return false
  return RETRIED.has(error.status) || (error.status >= 500 && error.status <= 599)
}
