import type { ChannelTerms } from '../channel/events.ts'

/** The console's questions to an upstream channel outside of any request: asked by the relay's own protocol code. */
export interface ChannelProbe {
  /** One tiny real request; never throws for an upstream failure. Given up when the signal aborts. */
  test(channel: ProbedChannel, model: string, signal?: AbortSignal): Promise<ProbeOutcome>
  /** Model ids that upstream lists. Throws ProbeFailed with a message fit for the admin. */
  fetchModels(channel: ProbedChannel): Promise<readonly string[]>
  /** Balance in US dollars as a decimal text. Throws ProbeFailed; message `尚未实现` for types without a balance. */
  readBalance(channel: ProbedChannel, signal?: AbortSignal): Promise<string>
}

/**
 * The networks that a probe of a channel may reach: `configured` as options allow for requests, `public` never private
 * networks. Callers below role 100 probe with `public` (decision 46), since they read the answer.
 */
export type Reach = 'configured' | 'public'

export interface ProbedChannel {
  readonly id: number
  readonly terms: ChannelTerms
  readonly key: string
  /** '' = none. */
  readonly proxy: string
  readonly reach: Reach
}

export interface ProbeOutcome {
  readonly succeeded: boolean
  readonly durationMs: number
  /** '' on success. */
  readonly error: string
  /** A remark for an admin on a channel that works all the same; '' = none. */
  readonly remark: string
  /** Upstream's HTTP status; null when it could not be reached. */
  readonly upstreamStatus: number | null
  /** The beginning of upstream's error answer: at most 500 characters, masked; '' without one. */
  readonly bodyExcerpt: string
  /** True when this error says that the key or the account is of no use any more (auto-disable rules). */
  readonly banWorthy: boolean
  readonly promptTokens: number | null
  readonly completionTokens: number | null
}

export class ProbeFailed extends Error {
  readonly code = 'PROBE_FAILED'
  readonly retryable = true
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ProbeFailed'
  }
}
