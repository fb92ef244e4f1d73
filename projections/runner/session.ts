import type pg from 'pg'

/**
 * Runs `work` on one connection and gives it back, or throws it away when it broke. A connection that dies between two
 * queries has no query to report to and would end the process: whoever queries next learns of it instead.
 */
export async function inSession<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let isBroken = false
  const onError = (): void => {
    isBroken = true
  }
  client.on('error', onError)
  try {
    return await work(client)
  } finally {
    client.off('error', onError)
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
    try {
      await client.query(begin)
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      // The failure that counts is the first: a lost connection has rolled back by itself.
      await client.query('rollback').catch(() => undefined)
      throw error
    }
  })
}
