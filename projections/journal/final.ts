import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type { AsOf, JournalReach } from './queries.ts'

/** No owner's clock is believed to be further behind the others than this. */
const CLOCK_MARGIN_MS = 600_000

/**
 * Whether nothing that comes later can change an answer as of a time or position. As of a time: the account's own stream
 * has reached it, as no event is dated before the one that it follows; or, for a quiet account, events of others that
 * lie beyond it by more than clocks differ.
 */
export function isFinal({ position, own, anybody }: JournalReach, asOf: AsOf): boolean {
  if ('position' in asOf) return asOf.position <= position
  return (
    (own ?? -Infinity) >= asOf.before || (anybody ?? -Infinity) >= asOf.before + CLOCK_MARGIN_MS
  )
}

export interface LogEnd {
  readonly clock: Pick<Clock, 'now'>
  /** Whether the log has no event of an account after a position. */
  readonly isComplete: (position: Position) => Promise<boolean>
}

/**
 * The same where nobody has done anything since: the journal has every event that there is, and owners date what they
 * append from now on later than the time asked for, however their clocks differ.
 */
export const isFinalByNow = async (
  { clock, isComplete }: LogEnd,
  position: Position,
  asOf: AsOf,
): Promise<boolean> =>
  'before' in asOf && asOf.before + CLOCK_MARGIN_MS <= clock.now() && (await isComplete(position))

/**
 * Whether an answer is final: what was asked for is a time or position that no later event can change. As of now
 * (null) it never is, since the next event changes it.
 */
export const isAnswerFinal = async (
  logEnd: LogEnd,
  reach: JournalReach,
  asked: AsOf | null,
): Promise<boolean> =>
  asked !== null && (isFinal(reach, asked) || (await isFinalByNow(logEnd, reach.position, asked)))
