import type { IncomingHttpHeaders } from 'node:http'
import type { ClientTrace } from '@tollgate/domain/account/request-facts.ts'
import type { RequestId } from '@tollgate/domain/ids.ts'
import type { Endpoint } from '../protocols/model-request.ts'
import type { Attempts } from './attempts.ts'
import type { ClientAnswer } from './client-answer.ts'

/**
 * One request as it came in, its client, and the facts that are learnt on the way (for its log row, also when it
 * fails).
 */
export interface Exchange {
  readonly id: RequestId
  readonly endpoint: Endpoint
  readonly headers: IncomingHttpHeaders
  /** How the client calls it, for log, event and row. */
  readonly trace: ClientTrace
  /** `api-version` of the client's query, for Azure; '' = none. */
  readonly apiVersion: string
  readonly ip: string
  readonly answer: ClientAnswer
  /** Unix milliseconds. */
  readonly startedAt: number
  /** The same moment by the monotonic clock. */
  readonly startedMs: number
  /** '' until the body was read. */
  model: string
  stream: boolean
  readonly attempts: Attempts
  /** Unix milliseconds: quota was reserved; null before it was. */
  admittedAt: number | null
  /** Channel type of the one tried last; null before any was. */
  channelType: number | null
  /** Milliseconds from the start to the first byte of a stream; null before it has begun. */
  firstByteMs: number | null
}
