import type { Pool, QueryConfig } from 'pg'
import type { Position } from '@tollgate/domain/event.ts'
import type { BareFilter, StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import type { BareStoredEvent } from '../bare-event.ts'
import type { StoredEvent } from '../stored-event.ts'
import type { MetadataTail } from '../columns/metadata-tail.ts'
import { hashesIn } from '../stream-link.ts'
import type { CopiedRow } from './copied-row.ts'
import { readFailure } from './failures.ts'

const COLUMNS = `position, stream, revision, id, type,
  (extract(epoch from recorded_at) * 1000)::bigint as recorded_ms, data, metadata,
  encode(hash, 'hex') as hash, chain_version`

/** Every column arrives as text, whatever parsers the pool's owner has set up. */
type Row = readonly [
  ...(readonly [string, string, string, string, string, string, string, string]),
  string | null,
  string | null,
]
const AS_TEXT = { getTypeParser: () => (text: string) => text }

type Query = Pick<QueryConfig, 'name' | 'text' | 'values'> & { readonly name: string }

/** Runs a query for events. Fails with StoreUnavailable. */
export async function readRows(pool: Pool, query: Query): Promise<StoredEvent[]> {
  return (await textRows<Row>(pool, query)).map(storedEvent)
}

/** Runs a query made by `withHead`: its events, and the log's head in the same snapshot. Fails with StoreUnavailable. */
export async function readRowsAndHead(
  pool: Pool,
  query: Query,
): Promise<{ readonly events: StoredEvent[]; readonly head: Position }> {
  const rows = await textRows<RowBesideHead>(pool, query)
  const head = Number(rows[0]?.[HEAD_COLUMN])
  if (!Number.isSafeInteger(head)) throw new Error('the log has no head')
  return { events: rows.filter(isEvent).map(storedEvent), head }
}

/** One round trip instead of two for followers, who need the head even when no event is for them. */
export const withHead = (query: Query): Query => ({
  ...query,
  name: `${query.name}-and-head`,
  text: `select e.*, h.position from ledger.head h left join lateral (${query.text}) e on true
    order by e.position`,
})

async function textRows<Kind>(pool: Pool, query: Query): Promise<readonly Kind[]> {
  const result = await read(() => pool.query({ ...query, rowMode: 'array', types: AS_TEXT }))
  return result.rows as unknown as readonly Kind[]
}

type RowBesideHead = readonly [...(Row | readonly null[]), string]
const HEAD_COLUMN = 10
const isEvent = (row: RowBesideHead): row is readonly [...Row, string] => row[0] !== null

/** Runs a query for one text. Fails with StoreUnavailable. */
export async function readValue(pool: Pool, sql: string): Promise<string> {
  const result = await read(() => pool.query<{ value: string }>(sql))
  const row = result.rows[0]
  if (row === undefined) throw new Error(`no row for: ${sql}`)
  return row.value
}

/** After a restart of PostgreSQL each idle connection of the pool may fail once; a read can be repeated at no risk. */
async function read<Result>(query: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await query()
    } catch (error) {
      if (attempt === READ_ATTEMPTS_MAX || !isLostConnection(error)) throw readFailure(error)
    }
  }
}

const READ_ATTEMPTS_MAX = 4

/** The server's own errors have a code; so has a connection that was refused, where asking again at once is no use. */
const isLostConnection = (error: unknown): boolean =>
  error instanceof Error &&
  (!('code' in error) || error.code === 'ECONNRESET' || error.code === '57P01')

const storedEvent = (row: Row | readonly [...Row, string]): StoredEvent => ({
  position: Number(row[0]),
  stream: row[1],
  revision: Number(row[2]),
  id: row[3],
  type: row[4],
  recordedAt: Number(row[5]),
  dataText: row[6],
  metadataText: row[7],
  columns: { hash: row[8], chainVersion: row[9] === null ? null : Number(row[9]) },
})

/** Up to `limit` events of one stream, from a revision on, in one direction. */
export const streamQuery = (
  stream: string,
  from: number,
  direction: 'forwards' | 'backwards',
  limit: number,
): Query => ({
  name: `ledger-stream-${direction}`,
  text: `select ${COLUMNS} from ledger.events
    where stream = $1 collate "C" and revision ${direction === 'forwards' ? '>=' : '<='} $2
    order by revision ${direction === 'forwards' ? 'asc' : 'desc'} limit $3`,
  values: [stream, from, limit],
})

/** The newest event at or before a position. */
export const newestQuery = (position: number): Query => ({
  name: 'ledger-newest-at',
  text: `select ${COLUMNS} from ledger.events where position <= $1 order by position desc limit 1`,
  values: [position],
})

/** Up to `limit` events before a position, newest first. */
export const logBackwardsQuery = (before: number, limit: number): Query => ({
  name: 'ledger-log-backwards',
  text: `select ${COLUMNS} from ledger.events where position < $1 order by position desc limit $2`,
  values: [before, limit],
})

/**
 * Positions that one query with a filter looks through. Written into the query, so that the planner knows before it
 * has statistics that walking the index by position is cheapest: guessing a third of the log it would sort that.
 */
export const WINDOW = 10_000

/** How far a query of `logQuery` that found less than its limit has looked through the log. */
export const searchedUpTo = (after: Position, filter: StreamFilter, head: Position): Position =>
  filter === 'all' || isBesideAccounts(filter.streamPrefixes)
    ? Math.max(after, head)
    : Math.max(after, Math.min(after + WINDOW, head))

/**
 * Up to `limit` events after a position, of the streams that the filter lets through; those of `searchedUpTo` at the
 * farthest.
 */
export function logQuery(after: number, filter: StreamFilter, limit: number): Query {
  if (filter === 'all') {
    return {
      name: `ledger-log-${limit}`,
      text: `select ${COLUMNS} from ledger.events where position > $1 order by position limit ${limit}`,
      values: [after],
    }
  }
  const { streamPrefixes, exceptTypes = [] } = filter
  const isBeside = isBesideAccounts(streamPrefixes)
  const rows = isBeside
    ? `ledger.events where position > $1 ${BESIDE_ACCOUNTS} and`
    : `(select * from ledger.events where position > $1 order by position limit ${WINDOW}) w where`
  return {
    name: isBeside ? 'ledger-log-beside-accounts' : 'ledger-log-of-prefixes',
    text: `select ${COLUMNS} from ${rows} type <> all($4::text[]) and stream ^@ any($3::text[])
      order by position limit $2`,
    values: [after, limit, [...streamPrefixes], [...exceptTypes]],
  }
}

/** Runs a query made by `bareQuery`. Fails with StoreUnavailable. */
export async function readBareRows(pool: Pool, query: Query): Promise<BareStoredEvent[]> {
  return (await textRows<BareRow>(pool, query)).map((row) => {
    const [position, stream, revision, id, type, dataText, metadata] = row
    return {
      position: Number(position),
      stream,
      revision: Number(revision),
      id,
      type,
      dataText,
      schemaVersion: isForPlace(metadata, stream, type, id) ? schemaVersionIn(metadata) : NaN,
      actor: actorIn(metadata),
      metadataEnd: metadata.slice(-HASHES_LENGTH),
    }
  })
}

type BareRow = readonly [string, string, string, string, string, string | null, string]

/**
 * Up to `limit` events of the streams after a position; those of the next WINDOW positions at the farthest. Events of
 * other types come without their data. Metadata come whole: cutting them in SQL costs three times as much as sending
 * them.
 */
export const bareQuery = (
  after: number,
  { streamPrefixes, types }: BareFilter,
  limit: number,
): Query => ({
  name: 'ledger-log-bare',
  text: `select position, stream, revision, id, type, case when type = any($4::text[]) then data end, metadata
    from (select * from ledger.events where position > $1 order by position limit ${WINDOW}) w
    where stream ^@ any($3::text[])
    order by position limit $2`,
  values: [after, limit, [...streamPrefixes], [...types]],
})

/** Metadata that name a place name the one where they stand; older ones name none. */
const isForPlace = (metadata: string, stream: string, type: string, id: string): boolean =>
  !metadata.includes('"id":"') ||
  metadata.includes(`"stream":"${stream}","type":"${type}","id":"${id}"`)

/**
 * Reads the metadata of a row into `tail` that end in another way than MetadataTail knows: those of older versions of the
 * chain. False for what Tollgate has not written.
 */
export function metadataInRow(row: CopiedRow, tail: MetadataTail): boolean {
  const { bytes, stream, type, metadata } = row
  const text = bytes.toString('utf8', metadata.from, metadata.to)
  const [streamName, typeName] = [stream, type].map(({ from, to }) =>
    bytes.toString('utf8', from, to),
  )
  if (!isForPlace(text, streamName ?? '', typeName ?? '', row.id)) return false
  const hashes = hashesIn(text.slice(-HASHES_LENGTH))
  const schemaVersion = schemaVersionIn(text)
  if (hashes === null || Number.isNaN(schemaVersion)) return false
  tail.schemaVersion = schemaVersion
  tail.hashAt = metadata.to - HASH_END_LENGTH
  tail.prevHashAt = hashes.prevHash === '' ? -1 : metadata.to - PREV_HASH_END_LENGTH
  return true
}

/** NaN without one. */
function schemaVersionIn(metadata: string): number {
  const at = metadata.indexOf(SCHEMA_VERSION)
  return at === -1 ? NaN : Number.parseInt(metadata.slice(at + SCHEMA_VERSION.length), 10)
}

/** The actor in `{"actor":"…",`; no actor has quotation marks. */
const actorIn = (metadata: string): string =>
  metadata.slice(ACTOR.length, metadata.indexOf('"', ACTOR.length))

const SCHEMA_VERSION = '"schemaVersion":'
const ACTOR = '{"actor":"'
/** Characters of `"prevHash":"…","hash":"…"}`. */
const HASHES_LENGTH = 152
/** From the first digit of a hash to the end. */
const HASH_END_LENGTH = 66
const PREV_HASH_END_LENGTH = 140

/** Word for word the condition of the partial index, so that the planner may use it. */
const BESIDE_ACCOUNTS = `and (stream < 'account-' or stream >= 'account.')`

const isBesideAccounts = (streamPrefixes: readonly string[]): boolean =>
  streamPrefixes.every((prefix) => !mayReachAccounts(prefix))

const mayReachAccounts = (prefix: string): boolean =>
  prefix.startsWith('account-') || 'account-'.startsWith(prefix)
