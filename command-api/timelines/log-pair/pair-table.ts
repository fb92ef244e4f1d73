import { type LogId, logId } from '@tollgate/domain/ids.ts'
import type { LogMark } from '@tollgate/domain/timeline/log-view.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { existence, noRow } from '../../statements.ts'

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
export function pairTable(db: CommonQueryMethods): PairTable {
  return {
    async read() {
      const row = await db.maybeOne(sql.type(pairRow)`
        select log, position, stream, revision, hash from ledger.pair`)
      if (row === null) return null
      const { log, position, stream, revision, hash } = row
      const isNoted = position !== null && stream !== null && revision !== null && hash !== null
      const seen = isNoted ? { position, stream, revision, hash } : null
      return { log: logId(log), seen }
    },
    async begin(log) {
      await db.query(sql.type(noRow)`
        insert into ledger.pair (log) values (${log}) on conflict do nothing`)
    },
    async pairWith(log) {
      await db.query(sql.type(noRow)`
        insert into ledger.pair (log) values (${log}) on conflict (only_row) do update
        set log = excluded.log, position = null, stream = null, revision = null, hash = null
        where pair.log <> excluded.log`)
    },
    async note(log, { position, stream, revision, hash }) {
      await db.query(sql.type(noRow)`
        update ledger.pair
        set position = ${position}, stream = ${stream}, revision = ${revision}, hash = ${hash}
        where log = ${log} and (position is null or position < ${position})`)
    },
    hasUsers: () => db.oneFirst(sql.type(existence)`select exists (select from identity.users)`),
    async followedLog() {
      const log = await db.maybeOneFirst(sql.type(z.object({ log: z.string().nullable() }))`
        select log from process_manager.checkpoint`)
      return log === null ? null : logId(log)
    },
    async addClaim(claim) {
      await db.query(sql.type(noRow)`insert into ledger.own_claims (claim) values (${claim})`)
    },
    hasClaim: (claim) =>
      db.oneFirst(sql.type(existence)`
        select exists (select from ledger.own_claims where claim = ${claim})`),
  }
}

const pairRow = z.object({
  log: z.string(),
  position: z.number().nullable(),
  stream: z.string().nullable(),
  revision: z.number().nullable(),
  hash: z.string().nullable(),
})
