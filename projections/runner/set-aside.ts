import type pg from 'pg'
import { inTransaction } from './session.ts'

/** The comment of a schema that was replaced. */
const REPLACED = 'Replaced by Tollgate, which drops it when nobody reads it.'

/** For transactions that would rather fail than wait for whoever keeps a table locked. To stand behind their `begin`. */
export const BRIEF_WAIT = `set local lock_timeout = '2s'`

/**
 * Gives a schema a name that is free, inside a transaction that puts another in its place. Waits for nobody who reads
 * it. `dropSetAside` removes it after the commit.
 */
export async function setAside(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>('select pg_current_xact_id()::text as id')
  const old = `${schema}_old_${rows[0]?.id ?? ''}`
  await client.query(
    `alter schema ${schema} rename to ${old}; comment on schema ${old} is '${REPLACED}'`,
  )
}

/**
 * Drops the schemas that were set aside, and what others have built upon them. Never fails: what is still read stays for
 * the next time.
 */
export async function dropSetAside(pool: pg.Pool): Promise<void> {
  for (const schema of await listSetAside(pool).catch(() => [])) {
    await inTransaction(pool, `begin; ${BRIEF_WAIT}`, (client) =>
      client.query(`drop schema if exists ${schema} cascade`),
    ).catch(() => undefined)
  }
}

async function listSetAside(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ schema: string }>(
    `select quote_ident(nspname) as schema from pg_namespace
     where obj_description(oid, 'pg_namespace') = $1`,
    [REPLACED],
  )
  return rows.map(({ schema }) => schema)
}
