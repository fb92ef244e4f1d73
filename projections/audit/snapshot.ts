import type { Position } from '@tollgate/domain/event.ts'
import type pg from 'pg'
import { readModels } from '../read-models.ts'
import { schemaOf } from '../runner/projector.ts'
import { inTransaction } from '../runner/session.ts'
import { ComparisonDisturbed } from './disturbed.ts'
import type { Reckoning } from './reckoning.ts'

/** Where one read model stands. */
export interface Place {
  readonly position: Position
  /** False while its tables are of another version than this program's. */
  readonly isComparable: boolean
  readonly note: string | null
}

export type Places = ReadonlyMap<string, Place>

/** All tables at one moment. */
export interface Snapshot {
  readonly places: Places
  /** To be read to the end before the next is asked for. */
  rows<Row extends pg.QueryResultRow>(sql: string): AsyncIterable<Row>
}

const PAGE_ROWS = 2_000
/** What a pool allows an idle transaction is too little for one that waits for the log in between. */
const IDLE_MAX = '10min'

/** Where every read model stands that has tables. */
export async function readPlaces(queries: pg.Pool | pg.PoolClient): Promise<Places> {
  const { rows } = await queries.query<CheckpointRow>(
    'select name, version, position, failure from projections.checkpoints',
  )
  const places = rows.flatMap((row): [string, Place][] => {
    const model = readModels.find(({ name }) => name === row.name)
    return model === undefined ? [] : [[row.name, placeOf(row, model.version)]]
  })
  return new Map(places)
}

interface CheckpointRow {
  readonly name: string
  readonly version: number
  readonly position: number
  readonly failure: string | null
}

function placeOf({ version, position, failure }: CheckpointRow, wanted: number): Place {
  const isComparable = version === wanted
  const note = isComparable
    ? failure
    : `not compared: its tables are of version ${version}, this is version ${wanted}`
  return { position, isComparable, note }
}

/**
 * Runs `use` on one snapshot of the tables compared. They are locked first, against being dropped (readers and writers
 * do not wait), so that the snapshot is not older than the lock; swapped for others they can be, which shows at the end.
 * Fails with ComparisonDisturbed then.
 */
export function inSnapshot<Result>(
  pool: pg.Pool,
  reckonings: readonly Reckoning[],
  use: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const tables = reckonings.flatMap(({ model, tables: names }) =>
    names.map((name) => `${schemaOf(model)}.${name}`),
  )
  const begin = `begin isolation level repeatable read read only;
    set local idle_in_transaction_session_timeout = '${IDLE_MAX}'`
  return inTransaction(pool, begin, async (client) => {
    await lock(client, tables)
    const before = await identities(client, tables, IN_SNAPSHOT)
    const result = await use({
      places: await readPlaces(client),
      rows: (sql) => rowsOf(client, sql),
    })
    if ((await identities(client, tables, NOW)) !== before) {
      throw new ComparisonDisturbed('a read model was built anew meanwhile')
    }
    return result
  })
}

/** The server's code for a table that is not there. */
const UNDEFINED_TABLE = '42P01'

async function lock(client: pg.PoolClient, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return
  try {
    await client.query(`lock table ${tables.join(', ')} in access share mode`)
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE
    if (isGone) throw new ComparisonDisturbed('a table went away', error)
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
