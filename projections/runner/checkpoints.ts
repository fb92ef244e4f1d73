import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import pg from 'pg'
import { AHEAD_OF_LOG, type LogMark, type LogPlace } from './log-mark.ts'
import { type ModelTables, modelTables } from './model-tables.ts'
import { type AnyProjector, liveCopy, nextCopy, type ModelCopy } from './projector.ts'
import { inSession, inTransaction } from './session.ts'

/** How far one copy of a read model is, as its row in `projections.checkpoints` says. */
export interface Checkpoint {
  readonly name: string
  readonly version: number
  readonly position: Position
  /** The event that it stands on; null in those written before marks were kept. */
  readonly mark: LogMark | null
  /** Why and where it stopped; null while it runs. */
  readonly failure: string | null
}

/** Held while schemas and tables are made, so that two processes starting at once do not collide. */
const SCHEMA_LOCK = 7_301_001

/** Creates the table of checkpoints when it is not there. */
export async function ensureCheckpointTable(pool: pg.Pool): Promise<void> {
  await pool.query(`
    begin;
    select pg_advisory_xact_lock(${SCHEMA_LOCK});
    create schema if not exists projections;
    create table if not exists projections.checkpoints (
      name text primary key,
      version int not null,
      position bigint not null,
      failure text,
      updated_at timestamptz not null default now(),
      mark jsonb
    );
    do $$ begin
      -- Looked for first: the change waits for every transaction that has a checkpoint locked.
      if not exists (select from pg_attribute where attrelid = 'projections.checkpoints'::regclass
                     and attname = 'mark' and not attisdropped) then
        alter table projections.checkpoints add column mark jsonb;
      end if;
    end $$;
    commit`)
}

/** Every checkpoint there is, live and being built. */
export async function readCheckpoints(
  queries: pg.Pool | pg.PoolClient,
): Promise<readonly Checkpoint[]> {
  const { rows } = await queries.query<{
    name: string
    version: number
    position: string | number
    failure: string | null
    mark: StoredMark | null
  }>('select name, version, position, failure, mark from projections.checkpoints order by name')
  return rows.map((row) => {
    const position = Number(row.position)
    return { ...row, position, mark: markAt(position, row.mark) }
  })
}

/** As stored. `at` is the checkpoint's position that it belongs to. */
interface StoredMark extends LogMark {
  readonly at: Position
}

/** Null for one that another version of Tollgate has left behind when it moved the checkpoint. */
const markAt = (position: Position, stored: StoredMark | null): LogMark | null =>
  stored?.at === position
    ? { stream: stored.stream, revision: stored.revision, hash: stored.hash }
    : null

/** The mark of a place as SQL. */
const markSql = ({ position, mark }: LogPlace): string =>
  mark === null ? 'null' : `${pg.escapeLiteral(JSON.stringify({ at: position, ...mark }))}::jsonb`

/** Gives a checkpoint the mark that it has not got; nothing happens when it has moved meanwhile. */
export async function writeMark(pool: pg.Pool, copy: ModelCopy, place: LogPlace): Promise<void> {
  await pool.query(
    `update projections.checkpoints set mark = ${markSql(place)} where name = $1 and position = $2`,
    [copy.checkpoint, place.position],
  )
}

/** The checkpoint of one copy; null when there is none. */
export async function readCheckpoint(pool: pg.Pool, copy: ModelCopy): Promise<Checkpoint | null> {
  return (await readCheckpoints(pool)).find((row) => row.name === copy.checkpoint) ?? null
}

/** Makes the tables of a slot and its checkpoint before the first event; nothing happens when they are there. */
export async function createIfMissing(
  pool: pg.Pool,
  projector: AnyProjector,
  copy: ModelCopy,
  parts: 'tables' | 'tables and indexes',
): Promise<void> {
  const begin = `begin; select pg_advisory_xact_lock(${SCHEMA_LOCK})`
  await inTransaction(pool, begin, async (client) => {
    const made = await client.query(
      `insert into projections.checkpoints (name, version, position) values ($1, $2, $3)
       on conflict (name) do nothing`,
      [copy.checkpoint, projector.version, LOG_START],
    )
    if (made.rowCount === 0) return
    await client.query(
      `drop schema if exists ${copy.schema} cascade;
       create schema ${copy.schema};
       set local search_path to ${copy.schema};
       ${projector.tables};
       ${parts === 'tables' ? '' : projector.indexes}`,
    )
    await projector.fill?.(modelTables(client, copy.schema))
  })
}

/**
 * Changes a source table that a projector fills its tables from, and the tables of this version that were made before:
 * those that are read and those being built. `change` answers what is to be done to each; all is one transaction.
 */
export async function changeSource(
  pool: pg.Pool,
  projector: AnyProjector,
  change: (client: pg.PoolClient) => Promise<(tables: ModelTables) => Promise<void>>,
): Promise<void> {
  await ensureCheckpointTable(pool)
  // Tables are either made before this begins, and found below, or after it ends, and filled from what it wrote.
  const begin = `begin; select pg_advisory_xact_lock_shared(${SCHEMA_LOCK})`
  await inTransaction(pool, begin, async (client) => {
    const apply = await change(client)
    const slots = [liveCopy(projector.name), nextCopy(projector.name)]
    // Held, so that no rebuilt copy comes in the place of another meanwhile.
    const { rows } = await client.query<{ name: string }>(
      `select name from projections.checkpoints where name = any($1) and version = $2
       order by name for update`,
      [slots.map(({ checkpoint }) => checkpoint), projector.version],
    )
    for (const { checkpoint, schema } of slots) {
      if (rows.some(({ name }) => name === checkpoint)) await apply(modelTables(client, schema))
    }
  })
}

/** Removes a slot's tables and its checkpoint. */
export async function dropSlot(pool: pg.Pool, copy: ModelCopy): Promise<void> {
  await pool.query(
    `begin;
     delete from projections.checkpoints where name = '${copy.checkpoint}';
     drop schema if exists ${copy.schema} cascade;
     commit`,
  )
}

/** The checkpoint as it was when it was found fit or unfit to go on from; `mark` left out: any. */
export type Judged = Pick<Checkpoint, 'position'> & Partial<Pick<Checkpoint, 'mark'>>

/**
 * Writes down why a projector stopped, for people who look from outside; null when it runs again. Nothing happens when
 * the checkpoint is not what was judged any more: a copy that was put in place meanwhile has not failed.
 */
export async function writeFailure(
  pool: pg.Pool,
  copy: ModelCopy,
  failure: string | null,
  judged: Judged | 'whatever stands there',
): Promise<void> {
  await pool.query(
    `update projections.checkpoints set failure = $2, updated_at = now()
     where name = $1 and failure is distinct from $2 ${isStill(judged)}`,
    [copy.checkpoint, failure],
  )
}

function isStill(judged: Judged | 'whatever stands there'): string {
  if (judged === 'whatever stands there') return ''
  const { position, mark } = judged
  const isThere = `and position = ${position}`
  if (mark === undefined) return isThere
  const hash = mark === null ? 'null' : pg.escapeLiteral(mark.hash)
  return `${isThere} and ${MARKED_HASH} is not distinct from ${hash}`
}

/** The hash of the mark that belongs to the position, as `markAt` reads it. */
const MARKED_HASH = "case when (mark ->> 'at')::bigint = position then mark ->> 'hash' end"

/** The checkpoint was not where this process had left it: somebody rebuilt or restored the read model. */
export class CheckpointMoved extends Error {
  readonly code = 'CHECKPOINT_MOVED'
  readonly retryable = true
  readonly position: Position
  constructor(copy: ModelCopy, position: Position) {
    super(`the checkpoint of ${copy.checkpoint} was moved to ${position}`)
    this.name = 'CheckpointMoved'
    this.position = position
  }
}

/** Somebody else has the checkpoint locked, for a batch of its own or to put a rebuilt copy in place. */
export class CheckpointHeld extends Error {
  readonly code = 'CHECKPOINT_HELD'
  readonly retryable = true
  constructor(copy: ModelCopy) {
    super(`the checkpoint of ${copy.checkpoint} is held by somebody else`)
    this.name = 'CheckpointHeld'
  }
}

/** The tables are of another version of the projector: a newer process has put its own in place. */
export class VersionMoved extends Error {
  readonly code = 'VERSION_MOVED'
  readonly retryable = false
  constructor(copy: ModelCopy, version: number) {
    super(`the tables of ${copy.checkpoint} are now of version ${version}`)
    this.name = 'VersionMoved'
  }
}

/** One read model's part of a transaction. */
export interface Step {
  readonly copy: ModelCopy
  /** The projector's version; the tables' must be the same. */
  readonly version: number
  /** Where its checkpoint must be. */
  readonly from: Position
  work(tables: ModelTables): Promise<void>
}

/**
 * Runs the work of all steps and moves their checkpoints to `to`, with its mark, in one transaction: after a crash at any moment either
 * all of it happened or nothing. Fails with VersionMoved, or with CheckpointMoved when a stored checkpoint is not `from`; with `whenLocked:
 * 'skip'` with CheckpointHeld when somebody else has one locked, instead of waiting.
 * Commits do not wait for the disk (`synchronous_commit` off): tables and checkpoint are lost together, at most the
 * last moments of them, and then follow from the log again.
 */
export async function advance(
  pool: pg.Pool,
  steps: readonly Step[],
  to: LogPlace,
  whenLocked: 'wait' | 'skip' = 'wait',
): Promise<void> {
  const names = steps.map(({ copy }) => `'${copy.checkpoint}'`).join(', ')
  await inSession(pool, async (client) => {
    const results = (await client.query(
      `begin;
       set local synchronous_commit to off;
       select name, version, position from projections.checkpoints where name in (${names})
       order by name for update ${whenLocked === 'skip' ? 'skip locked' : ''}`,
    )) as unknown as pg.QueryResult<Pick<Checkpoint, 'name' | 'version' | 'position'>>[]
    const stored = new Map(results.at(-1)?.rows.map((row) => [row.name, row]))
    for (const { copy, from, version } of steps) {
      const row = stored.get(copy.checkpoint)
      if (row === undefined && whenLocked === 'skip' && (await isThere(client, copy))) {
        throw new CheckpointHeld(copy)
      }
      if (row !== undefined && row.version !== version) throw new VersionMoved(copy, row.version)
      if (row?.position !== from) throw new CheckpointMoved(copy, row?.position ?? LOG_START)
    }
    await workAll(client, steps)
    await client.query(
      `update projections.checkpoints set position = ${to.position}, mark = ${markSql(to)}, updated_at = now()
       where name in (${names});
       commit`,
    )
  })
}

/** True when the row is there, which a lock that skips what is locked does not tell. */
async function isThere(client: pg.PoolClient, copy: ModelCopy): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from projections.checkpoints where name = $1', [
    copy.checkpoint,
  ])
  return rowCount === 1
}

/** All at once: on a connection that pipelines, one step's statements travel while another's answers are worked on. */
async function workAll(client: pg.PoolClient, steps: readonly Step[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    steps.map((step) => step.work(modelTables(client, step.copy.schema))),
  )
  // The first to fail has the reason; whatever stands behind it on the connection fails because of it.
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** True when the row of a live read model is at or past a position, for processes without a runner. */
export async function haveReached(
  pool: pg.Pool,
  names: readonly string[],
  position: Position,
): Promise<boolean> {
  const { rows } = await pool.query<{ reached: number | string }>(
    `select count(*) as reached from projections.checkpoints
     where name = any($1) and position >= $2 and not starts_with(coalesce(failure, ''), $3)`,
    [names, position, AHEAD_OF_LOG],
  )
  return Number(rows[0]?.reached ?? 0) === new Set(names).size
}
