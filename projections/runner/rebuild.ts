import { type BareEvent, LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import { createIfMissing, dropSlot, ensureCheckpointTable } from './checkpoints.ts'
import { describePoison, type Follower, openFollower } from './follower.ts'
import type { RunnerLogger } from './logger.ts'
import { type AnyProjector, liveSlot, nextSlot, type Slot } from './projector.ts'
import { inSession, inTransaction } from './session.ts'

export interface RebuildOptions {
  readonly store: EventStore
  readonly pool: pg.Pool
  readonly projector: AnyProjector
  readonly clock: Clock
  readonly logger: RunnerLogger
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: RebuildProgress) => void
}

export interface RebuildProgress {
  /** Events of this projector applied up to now. */
  readonly events: number
  readonly position: Position
  /** Where the log ended when the rebuild began. */
  readonly head: Position
}

export interface RebuildReport {
  readonly events: number
  readonly position: Position
  readonly durationMs: number
}

/** A rebuild that could not be finished; the read model that was there is untouched. */
export class RebuildFailed extends Error {
  readonly code = 'REBUILD_FAILED'
  readonly retryable = false
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'RebuildFailed'
  }
}

/** Events of a transaction, and of the page of the log that it comes from. */
const CHUNK_EVENTS = 5_000
/** Page size where an engine knows no better way to go through its log. */
const PAGE_EVENTS = 1_000
/** First half of the key of the lock that keeps two rebuilds of one read model apart. */
const REBUILD_LOCK = 7_301_003

/**
 * Builds a read model anew from the first event in tables of its own and swaps them in when they have caught up, while
 * the old ones go on being read and, in a running Tollgate, followed. The follower notices by its checkpoint.
 */
export async function rebuild(options: RebuildOptions): Promise<RebuildReport> {
  const { pool, projector } = options
  await ensureCheckpointTable(pool)
  return inSession(pool, async (lock) => {
    const { rows } = await lock.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(${REBUILD_LOCK}, hashtext($1)) as locked`,
      [projector.name],
    )
    if (rows[0]?.locked !== true) {
      throw new RebuildFailed(`${projector.name} is being rebuilt by another process; wait for it`)
    }
    try {
      return await buildAndSwap(options)
    } finally {
      await lock.query('select pg_advisory_unlock_all()')
    }
  })
}

async function buildAndSwap(options: RebuildOptions): Promise<RebuildReport> {
  const { pool, projector, clock, logger } = options
  const startedMs = clock.monotonicMs()
  const slot = nextSlot(projector.name)
  await dropSlot(pool, slot)
  await createIfMissing(pool, projector, slot, 'tables')
  const follower = openFollower({
    projector,
    slot,
    position: LOG_START,
    pool,
    clock,
    logger,
    onChange: () => undefined,
  })
  try {
    await applyLog(options, follower, LOG_START)
    await createIndexes(pool, projector, slot)
    // Building indexes takes a while on a large log; what came in meanwhile is few events.
    await applyLog(options, follower, follower.status().position)
    await swap(options, follower)
  } catch (error) {
    await dropSlot(pool, slot).catch(() => undefined)
    throw error
  }
  const { handledEvents, position } = follower.status()
  return { events: handledEvents, position, durationMs: clock.monotonicMs() - startedMs }
}

/** Applies everything after a position up to the present end of the log; the next page is read while one is applied. */
async function applyLog(
  options: RebuildOptions,
  follower: Follower,
  after: Position,
): Promise<void> {
  const { store, onProgress, signal = new AbortController().signal } = options
  const head = await store.headPosition()
  let reading = readChunk(options, after)
  for (;;) {
    const chunk = await reading
    const last = chunk.at(-1)
    if (last === undefined) break
    reading = readChunk(options, last.position)
    // Read ahead while this chunk is applied: a failure is met at the await above.
    reading.catch(() => undefined)
    await follower.deliver(chunk, last.position, signal)
    throwIfEnded(options, follower, signal)
    onProgress?.({ events: follower.status().handledEvents, position: last.position, head })
  }
  await follower.deliver([], head, signal)
  await follower.persist()
  throwIfEnded(options, follower, signal)
}

async function readChunk(
  { store, projector }: RebuildOptions,
  after: Position,
): Promise<readonly BareEvent[]> {
  const { streamPrefixes, eventTypes: types } = projector
  if (store.readBare !== undefined) {
    return store.readBare(after, { streamPrefixes, types }, CHUNK_EVENTS)
  }
  const chunk: BareEvent[] = []
  let from = after
  while (chunk.length < CHUNK_EVENTS) {
    const page = await store.readAll(from, { streamPrefixes }, PAGE_EVENTS)
    const last = page.at(-1)
    if (last === undefined) break
    chunk.push(...page)
    from = last.position
  }
  return chunk
}

function throwIfEnded(
  { projector }: RebuildOptions,
  follower: Follower,
  signal: AbortSignal,
): void {
  const { poison } = follower.status()
  if (poison !== null) {
    throw new RebuildFailed(`${projector.name} stopped at ${describePoison(poison)}`)
  }
  if (signal.aborted) throw new RebuildFailed(`the rebuild of ${projector.name} was broken off`)
}

/** Two at a time: each keeps one processor of the database busy. */
const INDEXES_AT_ONCE = 2

async function createIndexes(pool: pg.Pool, projector: AnyProjector, slot: Slot): Promise<void> {
  const statements = projector.indexes.split(';').filter((sql) => sql.trim() !== '')
  const inTables = (work: (client: pg.PoolClient) => Promise<void>): Promise<void> =>
    inTransaction(pool, `begin; set local search_path to ${slot.schema}`, work)
  const createNext = async (): Promise<void> => {
    for (let sql = statements.shift(); sql !== undefined; sql = statements.shift()) {
      const statement = sql
      await inTables(async (client) => void (await client.query(statement)))
    }
  }
  await Promise.all(Array.from({ length: INDEXES_AT_ONCE }, createNext))
  // A freshly filled table has no statistics yet, and the first readers would get plans for an empty one.
  await inTables(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition`,
      [slot.schema],
    )
    for (const { name } of rows) await client.query(`analyze ${name}`)
  })
}

/**
 * Puts the new tables in the place of the old. The live checkpoint's row is held meanwhile, so that a running follower
 * waits before its next batch; then it finds another position there than it left and goes on from that one.
 */
async function swap(options: RebuildOptions, follower: Follower): Promise<void> {
  const { pool, projector } = options
  const live = liveSlot(projector.name)
  const next = nextSlot(projector.name)
  const old = `${live.schema}_old`
  await createIfMissing(pool, projector, live, 'tables')
  const begin = `begin; select 1 from projections.checkpoints where name = '${live.checkpoint}' for update`
  await inTransaction(pool, begin, async (client) => {
    // With the follower held, this brings the new tables at least as far as the old ones are.
    await applyLog(options, follower, follower.status().position)
    await client.query(
      `drop schema if exists ${old} cascade;
       alter schema ${live.schema} rename to ${old};
       alter schema ${next.schema} rename to ${live.schema};
       update projections.checkpoints
         set position = ${follower.status().position}, version = ${projector.version},
             failure = null, updated_at = now()
         where name = '${live.checkpoint}';
       delete from projections.checkpoints where name = '${next.checkpoint}'`,
    )
  })
  // Readers may still be busy with the old tables: dropping waits for them without holding anybody up.
  await pool.query(`drop schema if exists ${old} cascade`)
}
