import { LOG_START } from '@tollgate/domain/event.ts'
import type { LogId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Timeline, Timelines } from '@tollgate/domain/timeline/timelines.ts'
import { readTimelines } from '../timelines.ts'
import { ACCEPT, LogMismatch, type PairPlaces, settingsOf } from './log-mismatch.ts'
import type { LogPair, PairTable, SeenEvent } from './pair-table.ts'

export interface PairToCompare {
  readonly store: Pick<EventStore, 'readStream' | 'readAll'>
  readonly table: Pick<PairTable, 'read' | 'hasUsers' | 'followedLog'>
  readonly places: PairPlaces
}

/** The result of a comparison when nothing speaks against going on. */
export type PairFound =
  /** The database's timeline is the newest of these; `isNoted`: an event of it, too. */
  | { readonly status: 'paired'; readonly timelines: Timelines; readonly isNoted: boolean }
  /** Log and database have never been paired; `log` is the log's newest timeline, null for a log without one. */
  | { readonly status: 'unpaired'; readonly log: LogId | null; readonly isLogUsed: boolean }
  /** The database was paired with a log whose first timeline was not opened yet. */
  | { readonly status: 'begun'; readonly log: LogId }

/**
 * Compares the log's newest timeline, and how far the log was seen, with the database's notes. Changes nothing. Fails
 * with LogMismatch when they do not go together, with StoreUnavailable, or as the database does.
 */
export async function comparePair(pair: PairToCompare): Promise<PairFound> {
  const timelines = await readTimelines(pair.store)
  // After the log: one that was used until it was read is noted by now, so that an empty one is not taken for it.
  const noted = await pair.table.read()
  const [first, ...others] = timelines
  const newest = timelines.at(-1)
  if (noted === null) return compareUnpaired(pair, timelines)
  if (first === undefined || newest === undefined) {
    if (noted.seen === null) return { status: 'begun', log: noted.log }
    throw emptyLog(pair.places, noted.log)
  }
  if (newest.log !== noted.log) throw otherLog(pair.places, noted, timelines, newest)
  if (noted.seen !== null && !(await isThere(pair.store, noted.seen))) {
    throw logPutBack(pair.places, noted.log, noted.seen)
  }
  return { status: 'paired', timelines: [first, ...others], isNoted: noted.seen !== null }
}

/** A database from before pairs, or a new one. */
async function compareUnpaired(
  { store, table, places }: PairToCompare,
  timelines: readonly Timeline[],
): Promise<PairFound> {
  const log = timelines.at(-1)?.log ?? null
  const followed = await table.followedLog()
  if (followed !== null && !timelines.some((one) => one.log === followed)) {
    throw log === null ? emptyLog(places, followed) : anotherLog(places, followed, log)
  }
  const isLogUsed = await isUsed(store)
  if (isLogUsed && !places.isLogInDatabase && !(await table.hasUsers())) {
    throw emptyDatabase(places, log)
  }
  return { status: 'unpaired', log, isLogUsed }
}

/** Whether an event stands where it was seen. */
export async function isThere(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision, hash }: Omit<SeenEvent, 'position'>,
): Promise<boolean> {
  for await (const event of store.readStream(stream, { from: revision, limit: 1 })) {
    return event.revision === revision && event.metadata.hash === hash
  }
  return false
}

/** Streams of accounts, users and other things; the others are about the log itself. */
const USED_PREFIXES = ['account-', 'user-', 'settings', 'channel-', 'redemption-', 'topup-']

const isUsed = async (store: Pick<EventStore, 'readAll'>): Promise<boolean> =>
  (await store.readAll(LOG_START, { streamPrefixes: USED_PREFIXES }, 1)).length > 0

const emptyDatabase = ({ log, database }: PairPlaces, id: LogId | null): LogMismatch =>
  new LogMismatch(
    `${upper(database)} is new, and ${log} (${id ?? 'without an identity yet'}) is in use: its accounts belong to the users of another database.`,
    'Set DATABASE_URL (DATA_DIR, for an embedded one) to that database, or restore it from a backup. To begin anew, name an empty event store in EVENTSTORE_URL.',
  )

const emptyLog = (places: PairPlaces, noted: LogId): LogMismatch =>
  new LogMismatch(
    `${upper(places.database)} goes with the event log ${noted}, and ${places.log} is empty.`,
    `${settingsOf(places)}. To move the log into another engine: npm run ledger -- copy.`,
  )

const anotherLog = (places: PairPlaces, noted: LogId, log: LogId): LogMismatch =>
  new LogMismatch(
    `${upper(places.database)} goes with the event log ${noted}, and ${places.log} is ${log}.`,
    `${settingsOf(places)}. To move a log into another engine: npm run ledger -- copy. If the log was put back to before it became ${noted}, and is to go on from there: ${ACCEPT}`,
  )

function otherLog(
  places: PairPlaces,
  { log: noted }: LogPair,
  timelines: readonly Timeline[],
  newest: Timeline,
): LogMismatch {
  if (!timelines.some(({ log }) => log === noted)) return anotherLog(places, noted, newest.log)
  const since = new Date(newest.openedAt).toISOString()
  return new LogMismatch(
    `${upper(places.database)} goes with the event log ${noted}, and ${places.log} goes by ${newest.log} since ${since} (${newest.cause}), of which this database knows nothing.`,
    `${settingsOf(places)}. If it is this database that shall go on with the log: ${ACCEPT}`,
  )
}

const logPutBack = (
  places: PairPlaces,
  noted: LogId,
  { position, stream, revision }: SeenEvent,
): LogMismatch =>
  new LogMismatch(
    `${upper(places.log)} (${noted}) is older than ${places.database}: position ${position}, ${stream} revision ${revision}, was seen and is not there. The log was put back to an older state, as by a restored server or a standby that lagged.`,
    `Bring the log up to date, or, if it is to go on from there: ${ACCEPT}`,
  )

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
