import { Client } from 'pg'
import type { DoubleLog, LogRecord } from '../support/engines/eventstoredb-double/log.ts'

/**
 * Mirrors a cluster's log where the verdicts look for it: queries find in `ledger.events` what the cluster holds at
 * that moment. Nothing of the product reads it.
 */
export function mirrorOf(log: DoubleLog, databaseUrl: string) {
  let copied = 0
  let last: LogRecord | undefined
  let isMade = false
  async function query(sql: string): Promise<unknown[]> {
    const client = new Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      if (!isMade) await client.query(TABLE)
      isMade = true
      if (copied > 0 && log.records[copied - 1] !== last) {
        // It was put back to an older state.
        await client.query('truncate mirror.events')
        copied = 0
      }
      const until = log.records.length
      const news = log.records.slice(copied, until).filter(({ stream }) => !stream.startsWith('$'))
      // Two queries at once may copy the same records.
      await client.query(COPY, [
        news.map(({ position }) => String(position)),
        news.map(({ id }) => id),
        news.map(({ stream }) => stream),
        news.map(({ revision }) => String(revision)),
        news.map(({ type }) => type),
        news.map(({ data }) => Buffer.from(data).toString('utf8')),
        news.map(({ created }) => new Date(created)),
      ])
      copied = Math.max(copied, until)
      last = log.records[copied - 1]
      return (await client.query(sql.replaceAll('ledger.events', 'mirror.events'))).rows
    } finally {
      await client.end()
    }
  }
  return query
}

const TABLE = `
  create schema if not exists mirror;
  create table if not exists mirror.events (
    position bigint primary key,
    id uuid not null,
    stream text not null,
    revision bigint not null,
    type text not null,
    data text not null,
    recorded_at timestamptz not null
  )`

const COPY = `
  insert into mirror.events
  select * from unnest($1::bigint[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::timestamptz[])
  on conflict do nothing`
