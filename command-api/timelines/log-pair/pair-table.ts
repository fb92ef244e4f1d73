import { type LogId, logId } from '@tollgate/domain/ids.ts'
import type { LogMark } from '@tollgate/domain/timeline/log-view.ts'
import type { Pool } from 'pg'

/** Where an event stands, and its hash. */
export type SeenEvent = Omit<LogMark, 'log' | 'openedAt'>

/** The database's knowledge of the log that it goes with. */
export interface LogPair {
  /** The log's newest timeline. */
  readonly log: LogId
  /** The newest event that any process has noted; null before any. */
  readonly seen: SeenEvent | null
}

/** The database's side of the pair. All calls fail as the database does. */
export interface PairTable {
  /** Null for a database that no log was paired with yet. */
  read(): Promise<LogPair | null>
  /** Pairs an unpaired database; a pair that stands stays. */
  begin(log: LogId): Promise<void>
  /** Pairs the database with this timeline from now on, whatever it was paired with. */
  pairWith(log: LogId): Promise<void>
  /** Notes how far a process has seen the log; an older event than the noted one, or another timeline's, changes nothing. */
  note(log: LogId, seen: SeenEvent): Promise<void>
  /** Whether anybody has an account name here. */
  hasUsers(): Promise<boolean>
  /** The timeline that work across streams was last driven under; null when unknown. */
  followedLog(): Promise<LogId | null>
  addClaim(claim: string): Promise<void>
  hasClaim(claim: string): Promise<boolean>
}

/** The pair in `ledger.pair` and `ledger.own_claims`. */
export function pairTable(pool: Pick<Pool, 'query'>): PairTable {
  const only = async <Row>(sql: string, values: readonly unknown[] = []): Promise<Row | null> =>
    ((await pool.query(sql, [...values])).rows[0] as Row | undefined) ?? null
  return {
    async read() {
      const row = await only<PairRow>(
        'select log, position, stream, revision, hash from ledger.pair',
      )
      if (row === null) return null
      const { log, position, stream, revision, hash } = row
      const isNoted = position !== null && stream !== null && revision !== null && hash !== null
      const seen = isNoted ? { position: Number(position), stream, revision, hash } : null
      return { log: logId(log), seen }
    },
    async begin(log) {
      await pool.query('insert into ledger.pair (log) values ($1) on conflict do nothing', [log])
    },
    async pairWith(log) {
      await pool.query(
        `insert into ledger.pair (log) values ($1) on conflict (only_row) do update
         set log = excluded.log, position = null, stream = null, revision = null, hash = null
         where pair.log <> excluded.log`,
        [log],
      )
    },
    async note(log, { position, stream, revision, hash }) {
      await pool.query(
        `update ledger.pair set position = $2, stream = $3, revision = $4, hash = $5
         where log = $1 and (position is null or position < $2)`,
        [log, position, stream, revision, hash],
      )
    },
    hasUsers: async () => (await only('select from identity.users limit 1')) !== null,
    async followedLog() {
      const row = await only<{ log: string | null }>('select log from process_manager.checkpoint')
      const log = row?.log ?? null
      return log === null ? null : logId(log)
    },
    async addClaim(claim) {
      await pool.query('insert into ledger.own_claims (claim) values ($1)', [claim])
    },
    hasClaim: async (claim) =>
      (await only('select from ledger.own_claims where claim = $1', [claim])) !== null,
  }
}

interface PairRow {
  readonly log: string
  readonly position: string | number | null
  readonly stream: string | null
  readonly revision: number | null
  readonly hash: string | null
}
