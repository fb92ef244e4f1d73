import type { ChannelId } from '../ids.ts'
import type { Usage } from '../pricing/usage.ts'

/** Facts that upstream sent beside the answer itself, as they came: nothing here is in a sum. Null = not sent. */
export interface UpstreamFacts {
  /** Its own id of the request, from a header; what its support asks for. */
  readonly requestId: string | null
  /** The answer's id. */
  readonly responseId: string | null
  /** The model that answered, as upstream calls it. */
  readonly model: string | null
  /** `default`, `priority`, `flex`, `batch` and the like. */
  readonly serviceTier: string | null
  readonly speed: string | null
  readonly region: string | null
  /** Its usage object as JSON, with all members; of one beyond 2 KB, those that fit. */
  readonly usage: string | null
  /** Part of its usage object is not in `usage`. */
  readonly isUsageCut: boolean
}

/** How the client itself calls its request, so that it is found in the client's logs and traces. Absent = it did not say. */
export interface ClientTrace {
  /** Its header x-client-request-id. */
  readonly clientRequestId?: string
  /** The trace id of its header traceparent: 32 hexadecimal digits. */
  readonly traceId?: string
}

/** A request sent to one channel, and how that ended. */
export interface Attempt {
  readonly channel: ChannelId
  /** Unix milliseconds by the relay's clock; this and the next are null in events older than version 3. */
  readonly startedAt: number | null
  readonly ms: number | null
  /** Upstream's HTTP status; null when there was none. */
  readonly status: number | null
  /** The code of upstream's error, in OpenAI's terms, or our own (`upstream_timeout`); null when it answered. */
  readonly code: string | null
  /** Why it ended before its end, in up to 200 characters, credentials masked; null when it answered. */
  readonly why: string | null
  /**
   * The usage that upstream reported for a failed attempt: its bill may have it, the charge does not. Null = none
   * reported.
   */
  readonly usage: Usage | null
}

/** Attempts kept of one request: of more, the first seven and the last. */
export const ATTEMPTS_MAX = 8

/** An attempt of which only the channel was noted. */
export const bareAttempt = (channel: ChannelId): Attempt => ({
  channel,
  startedAt: null,
  ms: null,
  status: null,
  code: null,
  why: null,
  usage: null,
})

/** The facts of an upstream that sent none, or whose answer was not read. */
export const UNTOLD: UpstreamFacts = {
  requestId: null,
  responseId: null,
  model: null,
  serviceTier: null,
  speed: null,
  region: null,
  usage: null,
  isUsageCut: false,
}
