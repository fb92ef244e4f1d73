import { LOG_START, type Position } from '../event.ts'
import { type HoldId, type LogId, partsOfHold } from '../ids.ts'
import type { TimelineCause } from './events.ts'

/** One identity of a log. */
export interface Timeline {
  readonly log: LogId
  /** When it was opened, unix milliseconds. */
  readonly openedAt: number
  /** The position of the event that opened it. */
  readonly position: Position
  readonly cause: TimelineCause
}

/** The identities of a log, oldest first; it goes by the last one. */
export type Timelines = readonly [Timeline, ...Timeline[]]

export const currentTimeline = (timelines: Timelines): Timeline => timelines.at(-1) ?? timelines[0]

/** How far a reader has followed a log, and in which of its timelines; null where that was not noted. */
export interface FollowedTo {
  readonly position: Position
  readonly log: LogId | null
}

/**
 * Where to go on in the present timeline. A log that was put back goes on with events at positions that were looked at in
 * the lost past: they are looked at from where the next timeline was opened.
 */
export function positionHere({ position, log }: FollowedTo, timelines: Timelines): Position {
  const current = currentTimeline(timelines)
  if (log === current.log) return position
  if (log !== null) return Math.min(position, endOfTimeline(log, timelines))
  return timelines.length === 1 ? position : Math.min(position, current.position)
}

/** The timeline that a hold was opened in; names without one are older than timelines, so of the log's first. */
export const logOfHold = (hold: HoldId, timelines: Timelines): LogId =>
  partsOfHold(hold).log ?? timelines[0].log

/** Whether a hold was opened in another timeline than the present one. */
export const isOfAnotherTimeline = (hold: HoldId, timelines: Timelines): boolean =>
  logOfHold(hold, timelines) !== currentTimeline(timelines).log

/**
 * Position before which this log cannot have a charge of a hold that only another timeline knows: such a charge was
 * accepted after the following timeline was opened. The log's beginning when that position is unknown.
 */
export const lateChargesBegin = (hold: HoldId, timelines: Timelines): Position =>
  endOfTimeline(logOfHold(hold, timelines), timelines)

/**
 * The position at which the timeline after another was opened: all before is of that other's past, too. The log's
 * beginning when that position is unknown.
 */
export function endOfTimeline(log: LogId, timelines: Timelines): Position {
  const index = timelines.findIndex((timeline) => timeline.log === log)
  // A timeline that this log has lost was never its first: the one that replaced it came after the first.
  return timelines[index < 0 ? 1 : index + 1]?.position ?? LOG_START
}
