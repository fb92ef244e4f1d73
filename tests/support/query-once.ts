import { Client } from 'pg'

/** Rows of one query over a connection of its own. */
export async function queryOnce(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
