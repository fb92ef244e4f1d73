import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import type { ReplayedEvent } from './fold.ts'

/**
 * Places in the log up to which the latest date of any charge or failure is known, so that a replay of a later time
 * begins behind them. Replays leave them as they pass. Exact whatever clocks did: a date that was too late only keeps
 * replays from skipping what follows it.
 */
export interface Landmark {
  readonly position: Position
  /** Latest `at` of all charges and failures up to there, unix milliseconds. */
  readonly latest: number
}

/** Positions between two landmarks at least. */
const LANDMARK_EVERY = 10_000

/** The last place behind which all of a time lies, as the log is now; where none is known, the log's start. */
export async function landmarkBefore(
  pool: pg.Pool,
  store: Pick<EventStore, 'newestAt'>,
  from: number,
): Promise<Landmark> {
  const { rows } = await pool.query<Landmark & { readonly event: string }>(
    `select position, latest, event_id as event from replays.landmarks
     where latest < $1 order by position desc limit 1`,
    [from],
  )
  const [found] = rows
  if (found === undefined) return START
  const stands = await store.newestAt(found.position)
  if (stands?.position === found.position && stands.id === found.event) return found
  // The log is not the one that the landmarks were made from: it was put back to an earlier time.
  await pool.query('delete from replays.landmarks')
  return START
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
  /** The events of a page in order, and its last. */
  pass(events: readonly ReplayedEvent[], last: { position: Position; id: string }): void
  /** Writes those that were found since the last time. */
  write(client: Pick<pg.PoolClient, 'query'>): Promise<void>
}

export function watchLandmarks(began: Landmark | null, every = LANDMARK_EVERY): LandmarkWatch {
  let latest = began?.latest ?? -1
  let noted = began?.position ?? LOG_START
  let found: { readonly position: Position; readonly id: string; readonly latest: number }[] = []
  return {
    pass(events, last) {
      for (const { data } of events) if (data.at > latest) latest = data.at
      if (began === null || last.position - noted < every) return
      noted = last.position
      found.push({ ...last, latest })
    },
    async write(client) {
      if (found.length === 0) return
      await client.query(
        `insert into replays.landmarks (position, event_id, latest)
         select * from unnest($1::bigint[], $2::uuid[], $3::bigint[]) on conflict do nothing`,
        [
          found.map(({ position }) => position),
          found.map(({ id }) => id),
          found.map((one) => one.latest),
        ],
      )
      found = []
    },
  }
}
