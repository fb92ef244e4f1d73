import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../json.ts'
import type { ReportedUsage } from '../metering/openai-usage.ts'
import type { Told } from '../metering/upstream-facts.ts'
import type { WrittenOutput } from '../metering/written-output.ts'
import type { Refusal } from '../refusal.ts'
import type { UpstreamError } from '../upstream/errors.ts'

/**
 * One stream on its way from upstream's protocol to the client's. Pure and synchronous: the same bytes, cut anywhere,
 * give the same delivery and the same facts. Whole events are delivered or none of them; those that end the answer,
 * errors and usage are kept back: `closing` or `refused` takes their place when it is known whether the charge stands.
 */
export interface Passage extends StreamFacts {
  /** The content type of the answer to the client. */
  readonly contentType: string
  /** Sent while a stream is silent; clients skip it. */
  readonly keepAlive: string
  /** An event with content has been let through: from now on the answer belongs to the client. */
  readonly hasStarted: boolean
  /** Takes bytes from upstream; returns the bytes to deliver now, which may be none. */
  push(chunk: Buffer): Buffer
  /** Upstream has ended: reads a rest without an event's end. */
  end(): Buffer
  /** The last events of a stream that is complete and charged; `usage` is the charged usage. */
  closing(usage: Usage, isEstimated: boolean): Buffer | string
  /** The last event of a stream that cannot go on. */
  refused(why: Refusal, requestId: string): string
  /** Upstream's last event says that the answer failed, as its protocol has it: after that the body ends in order. */
  readonly endsAsFailed?: boolean
}

/** The facts that a stream has brought so far, for metering and for judging how it ended. */
export interface StreamFacts {
  readonly output: WrittenOutput
  /** The usage that upstream reported, in its own words; null when it reported none. */
  readonly report: JsonObject | null
  /** The same in kinds of tokens. */
  readonly usage: ReportedUsage
  /** Upstream's names for its answer. */
  readonly told: Told
  /** Upstream's own error event. */
  readonly error: UpstreamError | null
  /** Why the stream cannot be read on; null while it can. */
  readonly fault: string | null
  /** Upstream said that the stream is over. */
  readonly isDone: boolean
  /** The answer is complete, whether or not upstream said that the stream is over: an end now is no cut. */
  readonly isFinished: boolean
}
