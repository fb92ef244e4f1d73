import type { Position } from '@tollgate/domain/event.ts'
import type { LogId } from '@tollgate/domain/ids.ts'
import type { FollowedTo } from '@tollgate/domain/timeline/timelines.ts'

/** A process that has to be driven to its end. */
export interface BegunWorkflow {
  /** Id of the deciding event, or the name of the row that it is about. */
  readonly id: string
  readonly kind: string
  /** Where the deciding event stands; null for work that a row left behind. */
  readonly decision: { readonly stream: string; readonly revision: number } | null
}

/** A begun process as it is kept. Times are unix milliseconds. */
export interface PendingWorkflow extends BegunWorkflow {
  /** The step that failed last; '' before the first attempt has failed. */
  readonly step: string
  /** Attempts that failed. */
  readonly attempts: number
  readonly since: number
  readonly nextAttemptAt: number
  readonly lastError: string
}

export interface FailedAttempt {
  readonly step: string
  readonly error: string
  readonly nextAttemptAt: number
}

/** The memory of the workflow manager: how far it has followed the log, and the workflows that are not done yet. */
export interface WorkflowTable {
  /** Where the manager is in the log; made at `initial` when it has never been anywhere. */
  checkpoint(initial: FollowedTo): Promise<FollowedTo>
  /**
   * Moves the checkpoint and notes the workflows that the events in between have begun, as a whole or not at all. False
   * when the checkpoint is not at `from`: another manager has moved it.
   */
  advance(
    move: { readonly from: Position; readonly to: Position; readonly log: LogId },
    begun: readonly BegunWorkflow[],
    at: number,
  ): Promise<boolean>
  /** Notes workflows for rows left behind; those that are noted already stay as they are. */
  note(begun: readonly BegunWorkflow[], at: number): Promise<void>
  /** Workflows to be tried now, longest due first. */
  due(at: number, limit: number): Promise<readonly PendingWorkflow[]>
  /** All that events have begun and that is not done. */
  decided(): Promise<readonly BegunWorkflow[]>
  postpone(process: BegunWorkflow, failed: FailedAttempt): Promise<void>
  /** Forgets a process that is done. */
  finish(process: BegunWorkflow): Promise<void>
  /** Those with most failed attempts first, and how many there are in all. */
  list(limit: number): Promise<{
    readonly processes: readonly PendingWorkflow[]
    readonly total: number
  }>
  /** How many have failed at least this often. */
  countFailing(attempts: number): Promise<number>
  /** Makes a process due now; false when there is none of this id. */
  retry(id: string, at: number): Promise<boolean>
}
