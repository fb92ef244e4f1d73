import type pg from 'pg'
import { inTransaction } from '../runner/session.ts'
import { type ReplayDefinition, TOTAL } from './definition.ts'

export type ReplayStatus = 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

/** A replay as it is noted. Times in unix milliseconds. */
export interface Replay {
  readonly id: string
  readonly owner: number
  readonly name: string
  readonly definition: ReplayDefinition
  readonly status: ReplayStatus
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** The log is read up to here, inclusive; null before the replay runs. */
  readonly logEnd: number | null
  /** Reading begins behind this: all up to here lies before the replay's time. */
  readonly logStart: number
  /** Everything up to here is in the result. */
  readonly position: number
  /** Positions read so far, and those that a whole run reads (null before it runs); skipped ones count in neither. */
  readonly positionsRead: number
  readonly positionsToRead: number | null
  readonly charges: number
  /** Quota of these charges as charged, and at the replay's prices. */
  readonly quota: number
  readonly repriced: number
  readonly rowCount: number
  readonly bookRevision: number | null
  /** Why it failed, and what to do; null otherwise. */
  readonly problem: string | null
  /** Null where it did not fail, and for failures of older versions. */
  readonly problemCode: ReplayProblemCode | null
}

export const REPLAY_PROBLEMS = ['too-many-rows', 'broke-off'] as const
export type ReplayProblemCode = (typeof REPLAY_PROBLEMS)[number]

const totalOf = (figure: 'quota' | 'repriced'): string =>
  `(select coalesce(sum(${figure}), 0)::bigint from replays.rows
    where replay = replays.id and dimension = '${TOTAL}') as ${figure}`

const COLUMNS = `id, owner, name, definition, status, created_at as "createdAt", started_at as "startedAt",
  ended_at as "endedAt", log_end as "logEnd", log_start as "logStart", position,
  positions_read as "positionsRead", positions_to_read as "positionsToRead", charges, row_count as "rowCount",
  ${totalOf('quota')}, ${totalOf('repriced')},
  book_revision as "bookRevision", problem, problem_code as "problemCode"`

/** A replay whose thread said nothing for so long is taken over; it says so at least every other second. */
const SILENT = '20 seconds'

export interface NewReplay {
  readonly id: string
  readonly owner: number
  readonly name: string
  readonly definition: ReplayDefinition
  readonly at: number
}

/** How many replays somebody may keep, and how many may wait or run at once. */
export interface ReplayLimits {
  readonly kept: number
  readonly active: number
}

export type AddOutcome = Replay | 'too-many-kept' | 'too-many-active'

/** How many replays somebody has, and how many of them wait or run. */
type Counted = Readonly<Record<'kept' | 'active', number>>

/** Counts somebody's replays and goes on with `work`; meanwhile nobody else adds to them. */
function afterCounting<Result>(
  pool: pg.Pool,
  owner: number,
  work: (client: pg.PoolClient, counted: Counted) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, 'begin', async (client) => {
    // A statement of its own: the next one sees what those before it have added.
    await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      `replays of ${owner}`,
    ])
    const { rows } = await client.query<Counted>(
      `select count(*) as kept, count(*) filter (where status in ('queued', 'running')) as active
       from replays.replays where owner = $1`,
      [owner],
    )
    return work(client, rows[0] ?? { kept: 0, active: 0 })
  })
}

/** Queues a replay, within its owner's limits. */
export function addReplay(
  pool: pg.Pool,
  { id, owner, name, definition, at }: NewReplay,
  limits: ReplayLimits,
): Promise<AddOutcome> {
  return afterCounting(pool, owner, async (client, { kept, active }) => {
    if (kept >= limits.kept) return 'too-many-kept'
    if (active >= limits.active) return 'too-many-active'
    const { rows } = await client.query<Replay>(
      `insert into replays.replays (id, owner, name, definition, status, created_at)
       values ($1, $2, $3, $4, 'queued', $5) returning ${COLUMNS}`,
      [id, owner, name, JSON.stringify(definition), at],
    )
    const [row] = rows
    if (row === undefined) throw new TypeError('a replay was not noted')
    return row
  })
}

/** Notes a replay as running, for a runner that begins with it at once. */
export async function addRunning(
  pool: pg.Pool,
  { id, owner, name, definition, at }: NewReplay,
  runner: string,
): Promise<Replay> {
  const { rows } = await pool.query<Replay>(
    `insert into replays.replays (id, owner, name, definition, status, created_at, started_at, runner, noted_at)
     values ($1, $2, $3, $4, 'running', $5, $5, $6, now()) returning ${COLUMNS}`,
    [id, owner, name, JSON.stringify(definition), at, runner],
  )
  const [row] = rows
  if (row === undefined) throw new TypeError('a replay was not noted')
  return row
}

export async function findReplay(pool: pg.Pool, id: string): Promise<Replay | null> {
  const { rows } = await pool.query<Replay>(
    `select ${COLUMNS} from replays.replays where id::text = $1`,
    [id],
  )
  return rows[0] ?? null
}

/** Newest first; null = of everybody. */
export async function listReplays(
  pool: pg.Pool,
  owner: number | null,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly items: readonly Replay[] }> {
  const whose = '($1::bigint is null or owner = $1)'
  const [counted, listed] = await Promise.all([
    pool.query<{ total: number }>(`select count(*) as total from replays.replays where ${whose}`, [
      owner,
    ]),
    pool.query<Replay>(
      `select ${COLUMNS} from replays.replays where ${whose}
       order by created_at desc, id limit $2 offset $3`,
      [owner, page.limit, page.offset],
    ),
  ])
  return { total: counted.rows[0]?.total ?? 0, items: listed.rows }
}

export async function renameReplay(pool: pg.Pool, id: string, name: string): Promise<void> {
  await pool.query('update replays.replays set name = $2 where id = $1', [id, name])
}

export async function removeReplay(pool: pg.Pool, id: string): Promise<void> {
  await pool.query('delete from replays.replays where id = $1', [id])
}

/** Ends one that waits or runs; false when it has ended before. What it counted so far stays. */
export async function cancelReplay(pool: pg.Pool, id: string, at: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update replays.replays set status = 'cancelled', ended_at = $2, runner = null
     where id = $1 and status in ('queued', 'running')`,
    [id, at],
  )
  return rowCount === 1
}

export type RerunOutcome = 'queued' | 'not-ended' | 'too-many-active'

/** Queues one that has ended again, from nothing, up to the present end of the log, within its owner's limit. */
export async function rerunReplay(
  pool: pg.Pool,
  id: string,
  activeMost: number,
): Promise<RerunOutcome> {
  const found = await findReplay(pool, id)
  if (found === null || found.status === 'queued' || found.status === 'running') return 'not-ended'
  return afterCounting(pool, found.owner, async (client, { active }) => {
    if (active >= activeMost) return 'too-many-active'
    const { rowCount } = await client.query(
      `with again as (
         update replays.replays set status = 'queued', started_at = null, ended_at = null, log_end = null, log_start = -1, position = -1,
           positions_read = 0, positions_to_read = null, charges = 0, row_count = 0, book_revision = null, problem = null, problem_code = null, runner = null
         where id = $1 and status in ('done', 'failed', 'cancelled') returning id),
       emptied as (delete from replays.rows where replay in (select id from again))
       select id from again`,
      [id],
    )
    return rowCount === 1 ? 'queued' : 'not-ended'
  })
}

/**
 * Takes one that waits, or one whose thread is silent; null when there is none. Owners take turns: first comes the one
 * whose replays have run the longest ago, with the oldest of theirs.
 */
export async function claimReplay(
  pool: pg.Pool,
  runner: string,
  at: number,
): Promise<Replay | null> {
  const { rows } = await pool.query<Replay>(
    `update replays.replays set status = 'running', runner = $1, noted_at = now(), started_at = coalesce(started_at, $2)
     where id = (
       select id from replays.replays as waiting
       where status = 'queued' or (status = 'running' and noted_at < now() - interval '${SILENT}')
       order by (select max(noted_at) from replays.replays where owner = waiting.owner) nulls first, created_at
       limit 1 for update skip locked)
     returning ${COLUMNS}`,
    [runner, at],
  )
  return rows[0] ?? null
}

/** Whether one waits or was left by its thread. */
export async function hasWaitingReplay(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ exists: boolean }>(
    `select exists (select from replays.replays
       where status = 'queued' or (status = 'running' and noted_at < now() - interval '${SILENT}')) as exists`,
  )
  return rows[0]?.exists === true
}

/** Positions of the log that the last replay to end read in a millisecond; null when none has read any. */
export async function lastPace(pool: pg.Pool): Promise<number | null> {
  const { rows } = await pool.query<{ pace: number | null }>(
    `select positions_read::float / greatest(1, ended_at - started_at) as pace from replays.replays
     where status = 'done' and positions_read > 0 order by ended_at desc limit 1`,
  )
  return rows[0]?.pace ?? null
}
