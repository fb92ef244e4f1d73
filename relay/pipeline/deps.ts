import type { ChannelId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { FailureLog } from '@tollgate/domain/ports/usage-journal.ts'
import type { FastifyRequest } from 'fastify'
import type { BillingSource } from '../billing/billing-source.ts'
import type { RelayDirectory, UserFacts } from '../directory/facts.ts'
import type { HoldKeeper } from '../holds/hold-keeper.ts'
import type { UncoveredRequests } from '../holds/uncovered-requests.ts'
import type { ExactPrompts } from '../metering/exact-prompts.ts'
import type { ThoughtKeep } from '../kept-thoughts/thought-keep.ts'
import type { OutputForecast } from '../metering/output-forecast.ts'
import type { UnaskedWrites } from '../metering/unasked-writes.ts'
import type { TokenCounter } from '../metering/token-counter.ts'
import type { AnswerReader } from '../protocols/answer-reader.ts'
import type { WordCheck } from '../sensitive-words/word-check.ts'
import type { Stopping } from '../stopping.ts'
import type { ResponseIds } from '../stored-responses/response-ids.ts'
import type { BodyReader } from '../uploads/body-reader.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { Dispatchers } from '../upstream/dispatchers.ts'
import type { ModelRateLimiter } from './model-rate-limit.ts'

/** Everything the relay takes from the world; made by the process that composes it. */
export interface RelayDeps {
  readonly directory: RelayDirectory
  readonly holds: Pick<HoldKeeper, 'draw' | 'drawOnceFreed'>
  readonly failures: FailureLog
  readonly dispatchers: Dispatchers
  /** Those that never lead into private networks: for addresses that clients name. */
  readonly publicDispatchers: Dispatchers
  readonly answers: AnswerReader
  readonly counter: TokenCounter
  readonly exactPrompts: ExactPrompts
  readonly wordCheck: WordCheck
  readonly forecast: OutputForecast
  readonly unaskedWrites: UnaskedWrites
  readonly uncovered: UncoveredRequests
  /** Bytes of bodies within one budget, with those of the console's calls. */
  readonly uploads: Pick<Uploads, 'begin'>
  readonly bodies: Pick<BodyReader, 'read'>
  readonly rateLimiter: ModelRateLimiter
  readonly clock: Clock
  readonly limits: RelayLimits
  readonly log: RelayLog
  readonly stopping: Stopping
  /** Ids of stored responses, as clients know them. */
  readonly responseIds: ResponseIds
  /** Thoughts behind calls of tools, for clients that do not send them back. */
  readonly thoughts: Pick<ThoughtKeep, 'of'>
  readonly billing: BillingSource
  /** Tells which user is signed in to the console; for the playground. */
  authenticateSession(request: FastifyRequest): Promise<SessionAnswer>
  /**
   * Reports every failed attempt that upstream itself answered; the relay does not decide whether to disable the
   * channel. Never throws.
   */
  reportChannelFailure(report: ChannelFailureReport): void
  /** Reports how the trial of a half-open channel went; resolves once that is stored, fails when it is not. */
  reportTrial(outcome: TrialOutcome): Promise<void>
}

export type SessionAnswer =
  | { readonly status: 'signed-in'; readonly user: UserFacts }
  /** An access token of the console API, which the playground does not take. */
  | { readonly status: 'access-token' }
  | { readonly status: 'anonymous' }

/** Upstream's failure on a channel's key or account. */
export interface ChannelFailureReport {
  readonly channel: ChannelId
  readonly model: string
  /** Before any mapping. */
  readonly upstreamStatus: number | null
  readonly errorType: string
  readonly errorCode: string
  /** Masked. */
  readonly message: string
  /** At most 500 characters, masked. */
  readonly bodyExcerpt: string
}

/** How the request went that a half-open channel was tried with. */
export type TrialOutcome =
  | { readonly channel: ChannelId; readonly succeeded: true }
  | {
      readonly channel: ChannelId
      readonly succeeded: false
      /** Masked, as is the excerpt. */
      readonly reason: string
      readonly upstreamStatus: number | null
      readonly bodyExcerpt: string
    }

export interface RelayLimits {
  /** The limit of a request's body after decompression. */
  readonly bodyBytesMax: number
  /** Until the head of upstream's answer to a question of our own (tests of channels, models, balances). */
  readonly firstByteMs: number
  /** Between two pieces of upstream's answer. */
  readonly idleMs: number
  /** How long upstream's head and comments wait for content, in which another channel may still answer as a whole. */
  readonly headHeldMs: number
  /** How long a finished answer's last bytes wait for its charge to be durable. */
  readonly settleWaitMs: number
  /** How long a client may take none of the bytes that wait for it. */
  readonly clientStallMs: number
}

/** Decisions 13 and 24, architecture 6 rule 12. */
export const RELAY_LIMITS: RelayLimits = {
  bodyBytesMax: 32 * 1024 * 1024,
  firstByteMs: 120_000,
  idleMs: 60_000,
  headHeldMs: 15_000,
  settleWaitMs: 15_000,
  clientStallMs: 120_000,
}

/** The log of events that an operator should see. */
export interface RelayLog {
  warn(facts: Readonly<Record<string, unknown>>, message: string): void
  error(facts: Readonly<Record<string, unknown>>, message: string): void
}
