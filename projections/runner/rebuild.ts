import { type BareEvent, LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import {
  createIfMissing,
  dropSlot,
  ensureCheckpointTable,
  readCheckpoint,
  writeFailure,
} from './checkpoints.ts'
import { compareCopies, type CopyComparison, describeComparison } from './copies.ts'
import { describePoison } from './event-applier.ts'
import { type Follower, openFollower } from './follower.ts'
import { footingOf } from './log-mark.ts'
import type { RunnerLogger } from './logger.ts'
import { type AnyProjector, liveCopy, nextCopy, type ModelCopy } from './projector.ts'
import { inSession, inTransaction, LONG_IDLE } from './session.ts'
import { dropSetAside, setAside } from './set-aside.ts'
import { offerReport, pointReport } from '../report/views.ts'

export interface RebuildOptions {
  readonly store: EventStore
  readonly pool: pg.Pool
  readonly projector: AnyProjector
  readonly clock: Clock
  readonly logger: RunnerLogger
  readonly signal?: AbortSignal
  /**
   * When the rebuilt copy differs from the one that is read: keep that one and the new one beside it, or swap them.
   * Default: refuse in a change of version, where the present figures are what people have seen; swap in a rebuild of
   * the same version, which is how a damaged read model is mended.
   */
  readonly onDifference?: 'refuse' | 'swap'
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
  /** The differences from the copy before; null when there was nothing to compare with. */
  readonly comparison: CopyComparison | null
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

/** The rebuilt copy differs; the one that was there goes on being read, the new one waits beside it. */
export class SwapRefused extends Error {
  readonly code = 'SWAP_REFUSED'
  readonly retryable = false
  readonly comparison: CopyComparison
  constructor(name: string, comparison: CopyComparison) {
    super(
      `${name} was built anew and is not put in place, as it differs from what is there: ${describeComparison(comparison)}`,
    )
    this.name = 'SwapRefused'
    this.comparison = comparison
  }
}

/**
 * Connections that a rebuild takes from its pool at most: its lock, the copy that is read held, a snapshot of both, and
 * the new copy's batches.
 */
export const REBUILD_CONNECTIONS = 4
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
export const rebuild = (options: RebuildOptions): Promise<RebuildReport> =>
  withRebuildLock(options, async () => {
    const { pool, projector } = options
    const copy = nextCopy(projector.name)
    await dropSlot(pool, copy)
    await createIfMissing(pool, projector, copy, 'tables')
    return finish(options, LOG_START, async (follower, present) => {
      // A copy that nobody follows may be far behind: only up to there can the two be compared.
      await applyLog(options, follower, present ?? (await options.store.headPosition()))
      await createIndexes(pool, projector, copy)
    })
  })

/** Puts a copy in place that was built and refused; `onDifference` must say whether differences are accepted. */
export const swapRefused = (
  options: RebuildOptions & Required<Pick<RebuildOptions, 'onDifference'>>,
): Promise<RebuildReport> =>
  withRebuildLock(options, async () => {
    const { pool, projector } = options
    const waiting = await readCheckpoint(pool, nextCopy(projector.name))
    if (waiting?.version !== projector.version || waiting.failure === null) {
      throw new RebuildFailed(
        `no new copy of ${projector.name} waits to be put in place; rebuild it`,
      )
    }
    return finish(options, waiting.position, async () => undefined)
  })

async function withRebuildLock(
  { pool, projector }: RebuildOptions,
  work: () => Promise<RebuildReport>,
): Promise<RebuildReport> {
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
      return await work()
    } finally {
      // Also after a failure: until PostgreSQL sees that the connection is gone, the next rebuild would be refused.
      await lock.query('select pg_advisory_unlock_all()').catch(() => undefined)
    }
  })
}

/** Fills the new copy, compares it, brings it to the end of the log and swaps it in. */
async function finish(
  options: RebuildOptions,
  position: Position,
  fill: (follower: Follower, present: Position | null) => Promise<void>,
): Promise<RebuildReport> {
  const { pool, projector, store, clock, logger } = options
  const startedMs = clock.monotonicMs()
  const copy = nextCopy(projector.name)
  const onChange = (): void => undefined
  const follower = openFollower({
    projector,
    copy,
    position,
    store,
    pool,
    clock,
    logger,
    onChange,
  })
  try {
    const present = await readCheckpoint(pool, liveCopy(projector.name))
    const isComparable =
      present !== null &&
      present.position > LOG_START &&
      // A copy that has seen a log that is no more is no measure for this one.
      (await footingOf(store, present)).isFirm
    await fill(follower, isComparable ? present.position : null)
    const comparison = isComparable ? await compareWithPresent(options, follower) : null
    if (comparison !== null && comparison.differing > 0) {
      await judge(options, comparison, present?.version ?? projector.version)
    }
    await applyLog(options, follower, await store.headPosition())
    await swap(options, follower)
    const { handledEvents: events, position: end } = follower.status()
    return { events, position: end, durationMs: clock.monotonicMs() - startedMs, comparison }
  } catch (error) {
    if (!(error instanceof SwapRefused)) await dropSlot(pool, copy).catch(() => undefined)
    throw error
  }
}

/** Writes down that and why the new copy waits, unless it may replace the other all the same. */
async function judge(
  { pool, projector, logger, onDifference }: RebuildOptions,
  comparison: CopyComparison,
  presentVersion: number,
): Promise<void> {
  const isMended = presentVersion === projector.version
  const decision = onDifference ?? (isMended ? 'swap' : 'refuse')
  const details = { projector: projector.name, ...comparison }
  if (decision === 'swap') {
    logger.warn(details, 'a read model was not what its events say; the new copy replaces it')
    return
  }
  logger.error(
    details,
    'a read model built anew differs from the present one and is not swapped in',
  )
  const reason = `waits: ${describeComparison(comparison)}`
  await writeFailure(pool, nextCopy(projector.name), reason, 'whatever stands there')
  throw new SwapRefused(projector.name, comparison)
}

/**
 * Compares both copies at the position of the one that is read. Its follower is held only until the new copy is there
 * and a snapshot has both; what then takes long runs on the snapshot.
 */
async function compareWithPresent(
  options: RebuildOptions,
  follower: Follower,
): Promise<CopyComparison> {
  const { pool, projector } = options
  const [live, next] = [liveCopy(projector.name), nextCopy(projector.name)]
  const present = await readCheckpoint(pool, live)
  await applyLog(options, follower, present?.position ?? LOG_START)
  return inTransaction(
    pool,
    `begin isolation level repeatable read read only; ${LONG_IDLE}`,
    async (snapshot) => {
      await inTransaction(pool, `begin; ${LONG_IDLE}`, async (holder) => {
        const { rows } = await holder.query<{ position: Position }>(
          'select position from projections.checkpoints where name = $1 for update',
          [live.checkpoint],
        )
        await applyLog(options, follower, rows[0]?.position ?? LOG_START)
        await snapshot.query('select 1')
      })
      return compareCopies(snapshot, projector, live, next)
    },
  )
}

/** Applies everything up to a position that is not beyond the log's end; the next page is read while one is applied. */
async function applyLog(options: RebuildOptions, follower: Follower, to: Position): Promise<void> {
  const { onProgress, signal = new AbortController().signal } = options
  let after = follower.status().position
  if (after >= to) return
  const apply = async (events: readonly BareEvent[], upTo: Position): Promise<void> => {
    throwIfMoved(options, follower, await follower.deliver({ events, after, upTo }, signal))
    throwIfEnded(options, follower, signal)
    after = upTo
  }
  let reading = readChunk(options, after, to)
  for (;;) {
    const chunk = await reading
    const last = chunk.at(-1)
    if (last === undefined) break
    reading = readChunk(options, last.position, to)
    // Read ahead while this chunk is applied: a failure is met at the await above.
    reading.catch(() => undefined)
    await apply(chunk, last.position)
    onProgress?.({ events: follower.status().handledEvents, position: last.position, head: to })
  }
  await apply([], to)
  throwIfMoved(options, follower, await follower.persist())
  throwIfEnded(options, follower, signal)
}

async function readChunk(
  options: RebuildOptions,
  after: Position,
  to: Position,
): Promise<readonly BareEvent[]> {
  const events = await readPages(options, after)
  return (events.at(-1)?.position ?? to) <= to
    ? events
    : events.filter(({ position }) => position <= to)
}

async function readPages(
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

/** A copy that another process has taken over is not what this one has put into it. */
function throwIfMoved(
  { projector }: RebuildOptions,
  follower: Follower,
  outcome: Awaited<ReturnType<Follower['deliver' | 'persist']>>,
): void {
  if (outcome === 'moved' || follower.status().state === 'outdated') {
    throw new RebuildFailed(`the new copy of ${projector.name} was changed from outside`)
  }
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

async function createIndexes(
  pool: pg.Pool,
  projector: AnyProjector,
  copy: ModelCopy,
): Promise<void> {
  const statements = projector.indexes.split(';').filter((sql) => sql.trim() !== '')
  const inTables = (work: (client: pg.PoolClient) => Promise<void>): Promise<void> =>
    inTransaction(pool, `begin; set local search_path to ${copy.schema}`, work)
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
      [copy.schema],
    )
    for (const { name } of rows) await client.query(`analyze ${name}`)
  })
}

/**
 * Puts the new tables in the place of the old. The live checkpoint's row is held meanwhile, so that a running follower
 * waits before its next batch; then it finds another position there than it left and goes on from that one.
 */
async function swap(options: RebuildOptions, follower: Follower): Promise<void> {
  const { pool, projector, logger } = options
  const live = liveCopy(projector.name)
  const next = nextCopy(projector.name)
  await createIfMissing(pool, projector, live, 'tables')
  const begin = `begin; ${LONG_IDLE}; select 1 from projections.checkpoints where name = '${live.checkpoint}' for update`
  await inTransaction(pool, begin, async (client) => {
    // With the follower held, this brings the new tables at least as far as the old ones are.
    await applyLog(options, follower, await options.store.headPosition())
    await setAside(client, live.schema)
    await client.query(
      `alter schema ${next.schema} rename to ${live.schema};
       update projections.checkpoints
         set position = built.position, mark = built.mark, version = ${projector.version},
             failure = null, updated_at = now()
         from projections.checkpoints built
         where checkpoints.name = '${live.checkpoint}' and built.name = '${next.checkpoint}';
       delete from projections.checkpoints where name = '${next.checkpoint}'`,
    )
    await pointReport(client, logger)
  })
  await offerReport(pool, logger)
  await dropSetAside(pool)
}
