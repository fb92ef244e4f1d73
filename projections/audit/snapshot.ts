import type { Position } from '@tollgate/domain/event.ts'
import type pg from 'pg'
import { readModels } from '../read-models.ts'
import { type Checkpoint, readCheckpoints } from '../runner/checkpoints.ts'
import type { LogMark } from '../runner/log-mark.ts'
import { schemaOf } from '../runner/projector.ts'
import { inTransaction } from '../runner/session.ts'
import { ComparisonDisturbed } from './disturbed.ts'
import type { ExpectedModel } from './expected-model.ts'

/** Where one read model stands. */
export interface Place {
  readonly position: Position
  /** False while its tables are of another version than this program's. */
  readonly isComparable: boolean
  readonly note: string | null
  /** The event that its checkpoint says it stands on. */
  readonly mark: LogMark | null
}

export type Places = ReadonlyMap<string, Place>

/** All tables at one moment. */
export interface Snapshot {
  readonly places: Places
  /** To be read to the end before the next is asked for. */
  rows<Row extends pg.QueryResultRow>(sql: string): AsyncIterable<Row>
}

const PAGE_ROWS = 2_000
/** A pool's limit for an idle transaction is too short for one that waits for the log in between. */
const IDLE_MAX = '10min'
/** A change of a read model's tables takes milliseconds; behind a queue of them, a later retry is better. */
const LOCK_WAIT_MAX = '2s'

/** Where every read model stands that has tables. */
export async function readPlaces(queries: pg.Pool | pg.PoolClient): Promise<Places> {
  const places = (await readCheckpoints(queries)).flatMap((row): [string, Place][] => {
    const model = readModels.find(({ name }) => name === row.name)
    return model === undefined ? [] : [[row.name, placeOf(row, model.version)]]
  })
  return new Map(places)
}

function placeOf({ version, position, failure, mark }: Checkpoint, wanted: number): Place {
  const isComparable = version === wanted
  const note = isComparable
    ? failure
    : `not compared: its tables are of version ${version}, this is version ${wanted}`
  return { position, isComparable, note, mark }
}

/**
 * Runs `use` on one snapshot of the tables compared. They are locked first, against being dropped (readers and writers
 * do not wait), so that the snapshot is not older than the lock; swapped for others they can be, which shows at the end.
 * Fails with ComparisonDisturbed then. A statement under way when the signal aborts is cancelled, with an error of its own.
 */
export function inSnapshot<Result>(
  pool: pg.Pool,
  expectedModels: readonly ExpectedModel[],
  signal: AbortSignal | undefined,
  use: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const tables = expectedModels.flatMap(({ model, tables: names }) =>
    names.map((name) => `${schemaOf(model)}.${name}`),
  )
  const begin = `begin isolation level repeatable read read only;
    set local idle_in_transaction_session_timeout = '${IDLE_MAX}';
    set local lock_timeout = '${LOCK_WAIT_MAX}'`
  return inTransaction(pool, begin, async (client) => {
    await lock(client, tables)
    const before = await identities(client, tables, IN_SNAPSHOT)
    const places = await readPlaces(client)
    const result = await endedBy(signal, pool, client, () =>
      use({ places, rows: (sql) => rowsOf(client, sql) }),
    )
    if ((await identities(client, tables, NOW)) !== before) {
      throw new ComparisonDisturbed('a read model was built anew meanwhile')
    }
    return result
  })
}

/** Runs `work`; a single statement over a large table may take a minute, which nobody who stops Tollgate waits for. */
async function endedBy<Result>(
  signal: AbortSignal | undefined,
  pool: pg.Pool,
  client: pg.PoolClient,
  work: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const pid = rows[0]?.pid
  // Whether it is cancelled or comes to its end first makes no difference.
  const cancel = (): void =>
    void pool.query('select pg_cancel_backend($1)', [pid]).catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  try {
    return await work()
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}

/** The server's codes for a table that is not there and for a lock that was not to be had in time. */
const DISTURBING: Readonly<Record<string, string>> = {
  '42P01': 'a table went away',
  '55P03': 'a table was locked',
}

async function lock(client: pg.PoolClient, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return
  try {
    await client.query(`lock table ${tables.join(', ')} in access share mode`)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const why = DISTURBING[code]
    if (why !== undefined) throw new ComparisonDisturbed(why, error)
    throw error
  }
}

/** A statement looks its tables' names up as they are now, whatever its snapshot: so both are asked for their numbers. */
const NOW = `select to_regclass(name)::oid as oid, at from unnest($1::text[]) with ordinality as t (name, at)`
const IN_SNAPSHOT = `select c.oid, at from unnest($1::text[]) with ordinality as t (name, at)
  left join pg_namespace n on n.nspname = split_part(name, '.', 1)
  left join pg_class c on c.relnamespace = n.oid and c.relname = split_part(name, '.', 2)`

async function identities(
  client: pg.PoolClient,
  tables: readonly string[],
  oids: string,
): Promise<string> {
  const { rows } = await client.query<{ numbers: string }>(
    `select coalesce(string_agg(coalesce(oid::text, 'none'), ' ' order by at), '') as numbers from (${oids}) o`,
    [tables],
  )
  return rows[0]?.numbers ?? ''
}

async function* rowsOf<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  sql: string,
): AsyncGenerator<Row, void, undefined> {
  await client.query(`declare audited no scroll cursor for ${sql}`)
  for (;;) {
    const { rows } = await client.query<Row>(`fetch forward ${PAGE_ROWS} from audited`)
    yield* rows
    if (rows.length < PAGE_ROWS) break
  }
  await client.query('close audited')
}
