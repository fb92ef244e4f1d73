import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { logId } from '@tollgate/domain/ids.ts'
import { momentOf } from '@tollgate/domain/moment.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { TIMELINE_STREAM, type TimelineOpened } from '@tollgate/domain/timeline/events.ts'
import type { Timelines } from '@tollgate/domain/timeline/timelines.ts'
import type { AggregateWriter } from '../../aggregates/aggregate.ts'
import { beginTimelines } from '../timelines.ts'
import { comparePair, type PairFound, type PairToCompare } from './compare-pair.ts'
import { adoptLog } from './log-claims.ts'
import { LogMismatch, type PairPlaces } from './log-mismatch.ts'
import type { PairTable } from './pair-table.ts'

/** A server may show an event, or a command its last step, a moment later. */
const PATIENCE_MS = 3_000
const LOOK_AGAIN_MS = 250

export interface PairOptions extends AggregateWriter {
  readonly table: PairTable
  readonly places: PairPlaces
}

/**
 * Compares log and database, as every process does before anything else, and pairs them when both are new or of a
 * version before pairs. Answers the log's timelines. Fails with LogMismatch, StoreUnavailable, or as the database does.
 */
export async function pairUp(options: PairOptions): Promise<Timelines> {
  const { table, randomness, store, clock } = options
  for (;;) {
    const comparedAt = momentOf(clock)
    const found = await comparePatiently(options)
    switch (found.status) {
      case 'paired':
        if (!found.isNoted) await noteOpening(options)
        // Not read again: another log may stand there by now, and a first start would be written to it.
        return found.timelines
      case 'unpaired':
        // The row comes first, so that a start that is cut off leaves no log behind that seems to be another database's.
        await table.begin(found.log ?? logId(randomness.uuid()))
        if (!found.isLogUsed) await adoptLog({ store, table })
        break
      case 'begun':
        await beginTimelines(options, found.log, comparedAt)
        break
      default:
        found satisfies never
    }
  }
}

/** From now on an empty log is not one whose first start was cut off. */
async function noteOpening({ store, table }: PairOptions): Promise<void> {
  const newest = { direction: 'backwards', limit: 1 } as const
  for await (const event of store.readStream(TIMELINE_STREAM, newest)) {
    const { stream, revision, position, metadata, data } = event as RecordedEvent & TimelineOpened
    await table.note(data.log, { stream, revision, position, hash: metadata.hash })
  }
}

/** As `comparePair`, asking again for three seconds before it fails with LogMismatch. */
export async function comparePatiently(
  options: PairToCompare & { readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'> },
): Promise<PairFound> {
  const { clock } = options
  let until = Infinity
  for (;;) {
    try {
      return await comparePair(options)
    } catch (error) {
      if (!(error instanceof LogMismatch)) throw error
      // From the first answer on: on a busy machine it may take longer than the patience.
      const now = clock.monotonicMs()
      until = Math.min(until, now + PATIENCE_MS)
      if (now >= until) throw error
      await clock.sleep(LOOK_AGAIN_MS)
    }
  }
}
