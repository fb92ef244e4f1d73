import type { RecordedEvent } from '@tollgate/domain/event.ts'

/**
 * One thing that follows from a decision. Its deed may be asked for again after any crash, so it must be the same twice:
 * an account command with `deduplicateFrom`, a row with the causation id as its key, a deletion; or `isDone` tells.
 */
export interface Step {
  /** Short and stable: operators see it, and a process that waits goes on from it. */
  readonly name: string
  /** Whether an earlier run took this step; left out where `act` finds that out by itself. */
  readonly isDone?: () => Promise<boolean>
  /** Resolves when the step is durable; fails when it must be tried again later. */
  readonly act: () => Promise<unknown>
}

/** Work that follows from an event. The process's id, and its steps' causation id, is the id of that event. */
export interface EventTriggeredWorkflow {
  readonly from: 'event'
  readonly kind: string
  /** Beginnings of the names of the streams that can decide it. */
  readonly streamPrefixes: readonly string[]
  readonly eventTypes: readonly string[]
  /** Whether an event of these types and streams decides that the work is to be done. Pure. */
  readonly isDecidedBy: (event: RecordedEvent) => boolean
  readonly steps: (decision: RecordedEvent) => readonly Step[]
}

/**
 * Work that a source row left behind when its process died between row and event (decision 41). The process's id, and
 * its steps' causation id, names the row: `identity.users/7`.
 */
export interface RowRecovery {
  readonly from: 'row'
  readonly kind: string
  /** Ids of rows that no request works on any more. */
  readonly find: () => Promise<readonly string[]>
  readonly steps: (id: string) => readonly Step[]
}

export type Workflow = EventTriggeredWorkflow | RowRecovery
