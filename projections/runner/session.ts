import type pg from 'pg'

/**
 * Runs `work` on one connection and gives it back, or throws it away when it broke or the work failed, which rolls back
 * what it had begun.
 */
export async function inSession<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let isBroken = false
  try {
    return await work(client)
  } catch (error) {
    isBroken = true
    throw error
  } finally {
    client.release(isBroken)
  }
}

/** The same inside a transaction that `begin` opens (with the settings it wants): committed, or rolled back on failure. */
export function inTransaction<Result>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return inSession(pool, async (client) => {
    await client.query(begin)
    const result = await work(client)
    await client.query('commit')
    return result
  })
}

/**
 * For transactions that apply a part of the event log in between, which may take longer than a pool lets a transaction
 * be idle. To stand behind their `begin`.
 */
export const LONG_IDLE = `set local idle_in_transaction_session_timeout = '1min'`
