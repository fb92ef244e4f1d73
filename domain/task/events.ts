import type { DomainEvent } from '../event.ts'
import type { ChannelId, HoldId, RequestId, TokenId, UserId } from '../ids.ts'
import type { Quota } from '../quota.ts'

/**
 * Every event of a drawing or a song; stream `task-<id>`. Requests and results (prompts, image addresses, upstream's
 * own words and raw data) lie in `identity.task_payloads` under the same number. They are personal and can be erased,
 * they are large, and upstream changes them at will. The events stay: submission, charge and refund depend on them.
 */
export type TaskEvent = TaskSubmitted | TaskProgressed | TaskSucceeded | TaskFailed

/** Which protocol a task came by: drawings by `mj`, songs by `suno`. */
export type TaskPlatform = 'mj' | 'suno'

/** Where a task stands that has not ended; `awaiting-input` = upstream asks the user something first (MODAL). */
export type OpenTaskStatus =
  | 'not-started'
  | 'submitted'
  | 'queued'
  | 'in-progress'
  | 'awaiting-input'
  | 'unknown'

/**
 * Why a task failed: upstream said so, upstream said nothing for too long, or there is no channel any more to ask
 * through. Upstream's own text lies in the payload.
 */
export type TaskFailure = 'reported' | 'timed-out' | 'channel-lost'

/** The submission of a task: the request, its user and its cost. */
export interface TaskSubmission {
  readonly user: UserId
  readonly token: TokenId | null
  readonly channel: ChannelId
  readonly platform: TaskPlatform
  /** IMAGINE, UPSCALE, MUSIC and the like, as the protocol names it. */
  readonly action: string
  /** Upstream's own name for it, which clients ask with (`mj_id`, `task_id`). */
  readonly upstreamId: string
  /** Upstream's answer to the submission, by the drawing protocol's numbers: 1 submitted, 21 waiting, 22 duplicate. */
  readonly code: number
  /** The charge for it; null when it cost nothing. */
  readonly charge: TaskCharge | null
}

/** Finds the charge in the account's stream: it stands after the opening of its hold. */
export interface TaskCharge {
  readonly request: RequestId
  readonly hold: HoldId
  readonly amount: Quota
}

export type TaskSubmitted = DomainEvent<'TaskSubmitted', At & TaskSubmission>
export type TaskProgressed = DomainEvent<
  'TaskProgressed',
  At & {
    readonly status: OpenTaskStatus
    /** 0 to 100. */
    readonly percent: number
    /** When upstream began with it, unix milliseconds; null while it does not say. */
    readonly startedAt: number | null
  }
>
export type TaskSucceeded = DomainEvent<'TaskSucceeded', At & { readonly startedAt: number | null }>
export type TaskFailed = DomainEvent<'TaskFailed', At & { readonly reason: TaskFailure }>

interface At {
  readonly at: number
}
