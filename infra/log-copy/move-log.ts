import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import { pairTable } from '@tollgate/command-api/timelines/log-pair/pair-table.ts'
import { openTimeline, readTimelines } from '@tollgate/command-api/timelines/timelines.ts'
import type { LogId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { CommonQueryMethods } from 'slonik'
import type { AuditableEventStore } from '../event-store/auditable-store.ts'
import { type CopyOptions, copyLog, type CopyReport, NotACopy } from './copy-log.ts'
import { movePositions } from './move-positions.ts'

export interface MoveOptions {
  readonly source: AuditableEventStore
  readonly target: AuditableEventStore
  /** The database that belongs to the log. */
  readonly db: CommonQueryMethods
  readonly clock: Clock
  readonly randomness: Randomness
  readonly onProgress: CopyOptions['onProgress']
}

/**
 * Moves the log into another engine: copies it, gives the copy an identity and a seal of its own, and lets the database
 * go with it. Each step may be cut off at any moment; the same call then goes on. The source stays as it is. Nothing may
 * work on either log meanwhile. Fails with NotACopy, InvalidAppend, StoreUnavailable, or as the database does.
 */
export async function moveLog(options: MoveOptions): Promise<CopyReport> {
  const { source, target, db, clock, randomness, onProgress } = options
  const present = (await readTimelines(source)).at(-1)
  if (present === undefined) {
    throw new NotACopy(
      'the log to be copied has no identity yet: start Tollgate on it once, stop it, and run the command again.',
    )
  }
  await refuseOtherDatabase(options, present.log)
  const report = await copyLog({ source, target, clock, onProgress })
  const writer = { store: target, clock, randomness }
  const isNamed = (await readTimelines(target)).at(-1)?.log !== present.log
  if (!isNamed) await openTimeline(writer, 'restore')
  const cause = {
    actor: 'system',
    correlationId: randomness.uuid(),
    causationId: null,
  } as const
  await sealLedger(writer, cause)
  const log = (await readTimelines(target)).at(-1)?.log ?? present.log
  await movePositions(db, { source, target, log })
  return report
}

/** A copy that was cut off at its end has paired the database with the target already. */
async function refuseOtherDatabase({ target, db }: MoveOptions, source: LogId): Promise<void> {
  const noted = (await pairTable(db).read())?.log
  if (noted === undefined || noted === source) return
  if ((await readTimelines(target)).at(-1)?.log === noted) return
  throw new NotACopy(
    `the database goes with the event log ${noted}, and the log to be copied is ${source}. Name the log that goes with this database, or set DATABASE_URL (DATA_DIR) to the database that goes with this log.`,
  )
}
