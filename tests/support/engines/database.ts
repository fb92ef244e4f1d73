import { randomBytes } from 'node:crypto'
import { openPool, type PoolOptions } from '@tollgate/infra/postgres/pool.ts'
import type { Pool } from 'pg'
import { Client } from 'pg'
import { inject } from 'vitest'

/** A fresh, empty database in the run's cluster. Drop it in afterEach or afterAll. */
export interface TestDatabase {
  readonly url: string
  readonly pool: Pool
  /** Closes the pool and removes the database, whoever is still connected. */
  drop(): Promise<void>
}

/** Makes a database that nobody else uses; `options` for its pool. */
export async function createTestDatabase(
  options: Pick<PoolOptions, 'isPipelined'> = {},
): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(adminUrl, `create database ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const pool = openPool(url.href, { max: connectionsMax, applicationName: 'test', ...options })
  return {
    url: url.href,
    pool,
    async drop() {
      await pool.end()
      await administer(adminUrl, `drop database ${name} with (force)`)
    },
  }
}

/** A few workers share the cluster's 60 connections. */
const connectionsMax = 8

async function administer(adminUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
