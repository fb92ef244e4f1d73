import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import type { ReplayDefinition } from './definition.ts'

/**
 * Places in the log up to which the latest date of any charge or failure is known, so that a replay of a later time
 * begins behind them. Replays leave them as they pass, with the earliest date since the one before, so that a replay of
 * an earlier time skips the stretch between the two. Exact whatever clocks did: a date that was too late or too early
 * only keeps replays from skipping its stretch.
 */
export interface Landmark {
  readonly position: Position
  /** Latest `at` of all charges and failures up to there, unix milliseconds. */
  readonly latest: number
}

/** Positions between two landmarks at least. */
const LANDMARK_EVERY = 10_000

/** Removes all landmarks when the log is not the one that they were made from: it was put back to an earlier time. */
export async function checkLandmarks(
  pool: pg.Pool,
  store: Pick<EventStore, 'newestAt'>,
): Promise<void> {
  const { rows } = await pool.query<{ readonly position: Position; readonly event: string }>(
    'select position, event_id as event from replays.landmarks order by position desc limit 1',
  )
  const [last] = rows
  if (last === undefined) return
  const found = await store.newestAt(last.position)
  if (found?.position === last.position && found.id === last.event) return
  await pool.query('delete from replays.landmarks')
}

/** The last place behind which all of a time lies; where none is known, the log's start. */
export async function landmarkBefore(pool: pg.Pool, from: number): Promise<Landmark> {
  const { rows } = await pool.query<Landmark>(
    'select position, latest from replays.landmarks where latest < $1 order by position desc limit 1',
    [from],
  )
  return rows[0] ?? START
}

/** A part of the log behind `since`, up to and with the event at `position`. */
interface LogRange {
  readonly since: Position
  readonly position: Position
}

/** The stretches up to a position in which everything is dated at `to` or later: in their order, joined where they meet. */
export async function stretchesAfter(
  pool: pg.Pool,
  to: number,
  end: Position,
): Promise<readonly LogRange[]> {
  const { rows } = await pool.query<LogRange>(
    `select since, position from replays.landmarks where earliest >= $1 and position <= $2 order by since, position`,
    [to, end],
  )
  const joined: { readonly since: Position; position: Position }[] = []
  for (const { since, position } of rows) {
    const last = joined.at(-1)
    if (last !== undefined && since <= last.position) {
      last.position = Math.max(last.position, position)
    } else joined.push({ since, position })
  }
  return joined
}

/** Where the reading goes on that has come to a position. */
export const behindStretches = (stretches: readonly LogRange[], position: Position): Position =>
  stretches.find((one) => one.since <= position && one.position > position)?.position ?? position

/** How many positions behind `after` and up to `end` a replay reads that skips the stretches. */
export const positionsToRead = (
  after: Position,
  end: Position,
  stretches: readonly LogRange[],
): number =>
  stretches.reduce(
    (left, { since, position }) => left - Math.max(0, position - Math.max(since, after)),
    Math.max(0, end - after),
  )

/** How many positions of a log that ends at `logEnd` a replay would read. */
export async function expectedPositions(
  pool: pg.Pool,
  { from, to, positions = {} }: Pick<ReplayDefinition, 'from' | 'to' | 'positions'>,
  logEnd: Position,
): Promise<number> {
  const { first = 0, last = logEnd } = positions
  const end = Math.min(logEnd, last)
  const [start, stretches] = await Promise.all([
    landmarkBefore(pool, from),
    stretchesAfter(pool, to, end),
  ])
  return positionsToRead(Math.max(start.position, first - 1), end, stretches)
}

const START: Landmark = { position: LOG_START, latest: -1 }

/** The landmark at a place; null where there is none. */
export async function landmarkAt(pool: pg.Pool, position: Position): Promise<Landmark | null> {
  if (position === LOG_START) return START
  const { rows } = await pool.query<Landmark>(
    'select position, latest from replays.landmarks where position = $1',
    [position],
  )
  return rows[0] ?? null
}

/** Watches events go by from a landmark on, and tells of new ones. Knows nothing where it began elsewhere. */
export interface LandmarkWatch {
  /** The date of the next event. */
  note(at: number): void
  /** The last event of a page, whose events have been noted. */
  pass(last: { position: Position; id: string }): void
  /** Goes on at a landmark ahead; what lies between is known. */
  skipTo(landmark: Landmark | null): void
  /** Writes those that were found since the last time. */
  write(client: Pick<pg.PoolClient, 'query'>): Promise<void>
}

export function watchLandmarks(start: Landmark | null, every = LANDMARK_EVERY): LandmarkWatch {
  let began = start
  let latest = began?.latest ?? -1
  let noted = began?.position ?? LOG_START
  let earliest = NOTHING_DATED
  let found: (Landmark & LogRange & { readonly id: string; readonly earliest: number })[] = []
  return {
    note(at) {
      if (at > latest) latest = at
      if (at < earliest) earliest = at
    },
    pass(last) {
      if (began === null || last.position - noted < every) return
      found.push({ ...last, latest, since: noted, earliest })
      noted = last.position
      earliest = NOTHING_DATED
    },
    skipTo(landmark) {
      began = landmark
      latest = landmark?.latest ?? -1
      noted = landmark?.position ?? LOG_START
      earliest = NOTHING_DATED
    },
    async write(client) {
      if (found.length === 0) return
      await client.query(
        `insert into replays.landmarks (position, event_id, latest, since, earliest)
         select * from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[])
         on conflict (position) do update set since = excluded.since, earliest = excluded.earliest
         where landmarks.earliest is null`,
        [
          found.map(({ position }) => position),
          found.map(({ id }) => id),
          found.map((one) => one.latest),
          found.map(({ since }) => since),
          found.map((one) => one.earliest),
        ],
      )
      found = []
    },
  }
}

/** Later than every date: a stretch without charges and failures. */
const NOTHING_DATED = Number.MAX_SAFE_INTEGER
