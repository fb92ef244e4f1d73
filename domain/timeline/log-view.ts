import type { Position } from '../event.ts'
import type { LogId } from '../ids.ts'

/** How far a process has seen the log: its identity, and the newest event that it knows of. */
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

/** The log as one process knows it, for components that name things after it or must stop when it has changed. */
export interface LogView {
  /** The timeline that this process works in; it never changes: with another one everything begins anew. */
  readonly log: LogId
  /** How far this process has seen the log, at most a second old; null before it has seen anything. */
  mark(): LogMark | null
  /** False once the log was found to be another than before: nothing new may begin. */
  isTrusted(): boolean
  /** The owner of an account has said how far it has seen the log: this process has seen as much from now on. */
  learn(mark: LogMark): void
  /** Another process names another timeline, or says how far it has seen the log: the log is compared again. */
  hear(mark: LogMark): void
}
