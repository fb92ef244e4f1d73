import type { Pool } from 'pg'
import type { Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { AuditableEventStore, LogHealth } from '../auditable-store.ts'
import { chainEvents, chainSetAside, chainStored } from '../chain.ts'
import { foreignEvents } from '../foreign-events.ts'
import { linkedStreams } from '../linked-events.ts'
import { type LogLinks, logLinks } from '../log-links.ts'
import { checkPosition } from '../read-arguments.ts'
import type { StoredEvent } from '../stored-event.ts'
import type { StoreLogger } from '../store-logger.ts'
import { UPCASTERS, type Upcasters } from '../upcasters.ts'
import { createAppends } from './appends.ts'
import { logReads } from './log-reads.ts'
import { ownAppends } from './own-appends.ts'
import { bareReader } from './read-bare.ts'
import { columnReader } from './read-columns.ts'
import { columnScanner } from './scan-columns.ts'
import { openScanThreads } from './scan-threads.ts'
import { readRows, readValue, streamQuery } from './rows.ts'
import { storedReads } from './stored-reads.ts'
import { followLog } from './subscription.ts'
import { openWakeUp } from './wake-up.ts'

export interface PostgresEventStoreOptions {
  /** Serves appends (one connection at a time) and reads. The store does not end it. */
  readonly pool: Pool
  /**
   * Address of the same database: the store keeps one connection of its own that listens for other processes' appends.
   */
  readonly databaseUrl: string
  readonly logger: StoreLogger
  readonly clock: Clock
  /** Default: those of every change ever made; tests bring others. */
  readonly upcasters?: Upcasters
  /** How often subscribers look for themselves, in case a wake-up was lost. Default 3,000. */
  readonly pollMs?: number
  /**
   * Threads that read the log as columns, each over a connection of its own; they start with the first page. Default 0:
   * the thread of the reader does it.
   */
  readonly readThreads?: number
  /** An append without an answer for so long has an unknown outcome. Default 15,000. */
  readonly appendTimeoutMs?: number
}

const DEFAULT_POLL_MS = 3_000
/** A group of 4 MiB on a slow disk under load takes a second or two; this is far from it. */
const DEFAULT_APPEND_TIMEOUT_MS = 15_000
/** Far beyond a page that threads read. */
const PAGE_ANSWER_MS = 10_000
/** A log that is gone through from its start meets all streams in turn; see STREAMS_MAX in log-links. */
const WALKED_MAX = 500_000
/**
 * The event log in PostgreSQL. The tables are made by `postgresEventStoreMigrations`, run before this. Several
 * processes may have the same log open.
 */
export function openPostgresEventStore(
  options: PostgresEventStoreOptions,
): AuditableEventStore & LogHealth {
  const { pool, logger, clock, upcasters = UPCASTERS } = options
  const { pollMs = DEFAULT_POLL_MS, appendTimeoutMs = DEFAULT_APPEND_TIMEOUT_MS } = options
  const { readThreads = 0 } = options
  const wakeUp = openWakeUp(options.databaseUrl, logger, clock)
  const own = ownAppends()
  const foreign = foreignEvents(logger)
  const appends = createAppends({
    pool,
    clock,
    timeoutMs: appendTimeoutMs,
    onStored(chained, position) {
      own.note(chained, position)
      wakeUp.wakeAll(position)
    },
  })
  const { readStored, ...reads } = storedReads(pool, upcasters)
  const readBefore = (
    stream: string,
    before: number,
    limit: number,
  ): Promise<readonly StoredEvent[]> =>
    readRows(pool, streamQuery(stream, before - 1, 'backwards', limit))
  const linksOf = (streamsMax?: number): LogLinks =>
    logLinks(readBefore, upcasters, foreign, streamsMax)
  let walked: LogLinks | null = null
  const { readAll, lookOn } = logReads({ pool, upcasters, links: linksOf(), own })
  const closing = new AbortController()

  async function headPosition(): Promise<Position> {
    return Number(await readValue(pool, 'select position::text as value from ledger.head'))
  }

  const scanThreads =
    readThreads === 0
      ? null
      : openScanThreads(readThreads, {
          databaseUrl: options.databaseUrl,
          answerTimeoutMs: PAGE_ANSWER_MS,
        })
  const walkedLinks = (): LogLinks => (walked ??= linksOf(WALKED_MAX))
  const readBare = bareReader({ pool, links: walkedLinks, upcasters, headPosition })

  return {
    append: async (...chained) => appends.append(chainEvents(...chained)),
    readStream: linkedStreams(readStored, upcasters, foreign),
    readAll,
    readBare,
    readColumns: columnReader({
      scan: scanThreads?.scan ?? columnScanner(pool, upcasters),
      links: walkedLinks,
      readBare,
    }),
    headPosition,
    ...reads,
    readStoredStream: (stream, options = {}) => readStored(stream, options),
    appendStored: async (...stored) => appends.append(chainStored(...stored)),
    appendSetAside: async (...setAside) => appends.append(chainSetAside(...setAside)),
    hasGaplessPositions: true,
    appendProblem: () => appends.problem(),
    // Rights are looked at by the server when a statement comes, whichever it is.
    readProblem: () => null,
    followProblem: () => null,
    // Triggers keep everybody but the database's owner from writing past the ledger's own function.
    foreignProblem: () => foreign.problem(),
    foreignEvents: () => foreign.places(),
    async proveWrite() {
      if (appends.hasJustStored()) return
      await pool.query('update ledger.write_probe set probed_at = clock_timestamp()')
    },
    subscribeAll(after, filter, signal) {
      checkPosition(after)
      const either = AbortSignal.any([signal, closing.signal])
      return followLog(
        { reader: { readUpToHead: lookOn }, wakeUp, logger, pollMs },
        after,
        filter,
        either,
      )
    },
    async describe() {
      const version = await readValue(pool, `select current_setting('server_version') as value`)
      return `PostgreSQL ${version.split(' ')[0] ?? version}`
    },
    async close() {
      closing.abort()
      await scanThreads?.close()
      await appends.close()
      await wakeUp.close()
    },
  }
}
