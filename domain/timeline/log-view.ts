import type { Position } from '../event.ts'
import type { LogId } from '../ids.ts'

/** How far somebody has seen the log: its identity, and the newest event that they know of. */
export interface LogMark {
  readonly log: LogId
  /** When that timeline was opened, unix milliseconds. */
  readonly openedAt: number
  readonly position: Position
  /** The hash of the event at that position. */
  readonly hash: string
  /** Where it is found again. */
  readonly stream: string
  readonly revision: number
}

/** The log as one process knows it, for whoever names things after it or must stop when it is not what it was. */
export interface LogView {
  /** The timeline that this process works in; it never changes: with another one everything begins anew. */
  readonly log: LogId
  /** How far this process has seen the log, at most a second old; null before it has seen anything. */
  mark(): LogMark | null
  /** False from the moment at which the log was found not to be what it was: nothing new may be begun. */
  isTrusted(): boolean
  /** The owner of an account has said how far it has seen the log: this process has seen as much from now on. */
  learn(mark: LogMark): void
  /** Somebody else names another timeline, or says how far they have seen the log: it is looked at again. */
  hear(mark: LogMark): void
}
