import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type ColumnFilter, type ColumnPage, columnsOf } from '@tollgate/domain/event-columns.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import { inTransaction } from '../runner/session.ts'
import { readBooks } from './books.ts'
import type { ReplayFilters } from './definition.ts'
import { type ReplayFold, replayFold } from './fold.ts'
import {
  behindStretches,
  checkLandmarks,
  landmarkAt,
  type Landmark,
  landmarkBefore,
  type LandmarkWatch,
  positionsToRead,
  stretchesAfter,
  watchLandmarks,
} from './landmarks.ts'
import type { Replay, ReplayProblemCode } from './replay-table.ts'
import { datesOf } from './replayed-events.ts'
import { writeRows } from './write-rows.ts'

export interface ReplayRun {
  readonly store: EventStore
  /** Its statements may take seconds; commits need not wait for the disk. */
  readonly pool: pg.Pool
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** The process that claimed the run; once another has taken the run over, nothing more is written. */
  readonly runner: string
  readonly signal: AbortSignal
  readonly onProgress?: (progress: ReplayProgress) => void
  /** Default: it never rests. */
  readonly pace?: ReplayPace
  /** Default rowsMost. */
  readonly rowsMax?: number
  /** Events read at once; default by what the store can read. */
  readonly pageEvents?: number
  /** Positions between two landmarks at least; default LANDMARK_EVERY. */
  readonly landmarkEvery?: number
}

/** Leaves the processors to others in the meantime. */
export interface ReplayPace {
  /** Whether others want them now. */
  isShared(): boolean
  /** Waits for as long as a worker should after the work since it rested last. */
  rest(): Promise<void>
}

export interface ReplayProgress {
  readonly events: number
  readonly position: Position
  readonly head: Position
}

/** The outcome of a run: `lost` = cancelled, removed or taken over meanwhile; `stopped` = the signal came first. */
export type ReplayEnd = 'done' | 'failed' | 'lost' | 'stopped'

/** Rows of all tables of a replay: what a database and a screen can still deal with, two gigabytes of them. */
const ROWS_MAX = 2_000_000
/** Rows of a replay of one user's usage, of which every user may keep some: hours of a year by a score of tokens. */
const ROWS_OF_ONE_MAX = 200_000

export const rowsMost = ({ users }: ReplayFilters): number =>
  users?.length === 1 ? ROWS_OF_ONE_MAX : ROWS_MAX
/** Rows in memory: about 25 MB with their counts of times. */
const ROWS_IN_MEMORY = 20_000
const FLUSH_EVERY_MS = 2_000
/** Events are objects of some kilobytes; their columns take two megabytes for so many. */
const PAGE_EVENTS = { ofObjects: 2_000, ofColumns: 10_000 } as const
/** While others want the processors, a page is a part of a whole one: some milliseconds of work. */
const SHARED_PAGE_PARTS = 10

const pageEventsOf = (store: EventStore): number =>
  store.readColumns === undefined ? PAGE_EVENTS.ofObjects : PAGE_EVENTS.ofColumns

/** Why a replay failed, and what to do: a code for clients, a text for those who read no code. */
interface ReplayProblem {
  readonly code: ReplayProblemCode
  readonly text: string
}

const tooManyRows = (rowsMax: number): ReplayProblem => ({
  code: 'too-many-rows',
  text: `more than ${rowsMax} rows: use a coarser bucket, fewer tables, or filters`,
})

export const BROKE_OFF: ReplayProblem = {
  code: 'broke-off',
  text: 'it broke off; the log of the process says why',
}

/**
 * Runs a claimed replay from its checkpoint to its end. Rows and checkpoint are written in one transaction, so a run
 * that breaks off goes on where it was. Fails with StoreUnavailable and with errors of the database.
 */
export async function runReplay(replay: Replay, run: ReplayRun): Promise<ReplayEnd> {
  const { store, clock, signal } = run
  const logEnd = replay.logEnd ?? (await store.headPosition())
  const { first = 0, last: lastWanted = logEnd } = replay.definition.positions ?? {}
  // Prices of today are those at the log's end, wherever the reading ends.
  const end = Math.min(logEnd, lastWanted)
  const books = await readBooks(store)
  const book = books.chosen(replay.definition.prices, logEnd)
  const fold = replayFold(replay.definition, books, book)
  const isNew = replay.position === LOG_START
  const { pool } = run
  await checkLandmarks(pool, store)
  // Where positions have gaps, only those of events may be read from.
  const behind = store.hasGaplessPositions ? first - 1 : LOG_START
  const began = await beginningOf(pool, replay, behind)
  const landmarks = watchLandmarks(began.landmark, run.landmarkEvery)
  const skipped = await stretchesAfter(pool, replay.definition.to, end)
  const start = isNew ? Math.min(end, began.position) : replay.position
  const known = {
    start: isNew ? start : replay.logStart,
    end: logEnd,
    bookRevision: book?.revision ?? null,
    landmarks,
  }
  const { rowsMax = rowsMost(replay.definition.filters), pageEvents = pageEventsOf(store) } = run
  let rowCount = replay.rowCount
  let events = 0
  let positionsRead = isNew ? 0 : replay.positionsRead
  let flushedMs = clock.monotonicMs()
  const sharedPageEvents = Math.ceil(pageEvents / SHARED_PAGE_PARTS)
  const isShared = (): boolean => run.pace?.isShared() ?? false
  const read = (after: Position): Promise<ColumnPage> =>
    readAhead(run, fold, after, isShared() ? sharedPageEvents : pageEvents)
  let reading: Promise<ColumnPage> | null = null
  for (let position = start; position < end;) {
    const page = await (reading ?? read(position))
    if (signal.aborted) return 'stopped'
    // Nothing behind a position before the end: the log was cut.
    const passed = page.position > position ? Math.min(end, page.position) : end
    positionsRead += passed - position
    position = behindStretches(skipped, passed)
    reading = position < end && !isShared() ? read(position) : null
    fold.take(page, first, end)
    for (const table of page.tables) for (const at of datesOf(table)) landmarks.note(at)
    if (page.last !== null) landmarks.pass(page.last)
    if (position > passed) landmarks.skipTo(await landmarkAt(pool, position))
    events += page.events
    run.onProgress?.({ events, position, head: end })
    if (position < end && isShared()) await run.pace?.rest()
    const isDue = clock.monotonicMs() - flushedMs >= FLUSH_EVERY_MS
    if (position < end && !isDue && fold.size < ROWS_IN_MEMORY) continue
    const left = positionsToRead(position, end, skipped)
    const progress = { position, positionsRead, positionsToRead: positionsRead + left }
    const added = await flush(replay.id, fold, { reached: progress, known }, run)
    if (added === null) return 'lost'
    rowCount += added
    flushedMs = clock.monotonicMs()
    if (rowCount > rowsMax) return endAs('failed', replay.id, tooManyRows(rowsMax), run)
  }
  if (end === LOG_START || start >= end) {
    const progress = { position: end, positionsRead, positionsToRead: positionsRead }
    await flush(replay.id, fold, { reached: progress, known }, run)
  }
  return endAs('done', replay.id, null, run)
}

/** Where the reading begins, at `behind` or later, and the landmark that stands there: null where it begins elsewhere. */
async function beginningOf(
  pool: pg.Pool,
  { position, definition }: Replay,
  behind: Position,
): Promise<{ readonly position: Position; readonly landmark: Landmark | null }> {
  if (position !== LOG_START) return { position, landmark: await landmarkAt(pool, position) }
  const landmark = await landmarkBefore(pool, definition.from)
  return landmark.position >= behind
    ? { position: landmark.position, landmark }
    : { position: behind, landmark: await landmarkAt(pool, behind) }
}

/** Reads a page while the one before is worked on. Who ends before it is there wants nothing of its failure. */
function readAhead(
  { store }: Pick<ReplayRun, 'store'>,
  { wanted }: Pick<ReplayFold, 'wanted'>,
  after: Position,
  limit: number,
): Promise<ColumnPage> {
  const page = readPage(store, wanted, after, limit)
  page.catch(() => undefined)
  return page
}

async function readPage(
  store: EventStore,
  wanted: ColumnFilter,
  after: Position,
  limit: number,
): Promise<ColumnPage> {
  if (store.readColumns !== undefined) return store.readColumns(after, wanted, limit)
  const { streamPrefixes, members } = wanted
  const events =
    store.readBare === undefined
      ? await store.readAll(after, { streamPrefixes }, limit)
      : await store.readBare(after, { streamPrefixes, types: Object.keys(members) }, limit)
  const isEnd = events.length < limit
  return columnsOf(events, wanted, isEnd ? Infinity : (events.at(-1)?.position ?? Infinity))
}

/** Facts that a run finds out at its beginning. */
interface Known {
  readonly start: Position
  readonly end: Position
  readonly bookRevision: Position | null
  readonly landmarks: LandmarkWatch
}

/** How far a run is. */
type Reached = Pick<Replay, 'position' | 'positionsRead' | 'positionsToRead'>

/** Writes what is in memory, with how far that is; answers how many rows are new, null when the replay is another's. */
async function flush(
  id: string,
  fold: ReplayFold,
  {
    reached: { position, positionsRead, positionsToRead: toRead },
    known: { start, end, bookRevision, landmarks },
  }: { readonly reached: Reached; readonly known: Known },
  { pool, runner }: ReplayRun,
): Promise<number | null> {
  const { rows, charges } = fold.drain()
  return inTransaction(pool, 'begin', async (client) => {
    const { rowCount } = await client.query(
      `update replays.replays set noted_at = now(), position = $3, charges = charges + $4, log_end = $5,
         book_revision = $6, log_start = $7, positions_read = $8, positions_to_read = $9
       where id = $1 and runner = $2 and status = 'running'`,
      [id, runner, position, charges, end, bookRevision, start, positionsRead, toRead],
    )
    if (rowCount !== 1) return null
    await landmarks.write(client)
    const added = await writeRows(client, id, rows)
    await client.query('update replays.replays set row_count = row_count + $2 where id = $1', [
      id,
      added,
    ])
    return added
  })
}

/** Notes how a replay ended; what is another's by now is left alone. */
export async function endAs(
  status: 'done' | 'failed',
  id: string,
  problem: ReplayProblem | null,
  { pool, runner, clock }: Pick<ReplayRun, 'pool' | 'runner' | 'clock'>,
): Promise<ReplayEnd> {
  const { rowCount } = await pool.query(
    `update replays.replays set status = $3, ended_at = $4, problem = $5, problem_code = $6, runner = null
     where id = $1 and runner = $2 and status = 'running'`,
    [id, runner, status, clock.now(), problem?.text ?? null, problem?.code ?? null],
  )
  return rowCount === 1 ? status : 'lost'
}
