import { randomBytes } from 'node:crypto'
import { openPool, type PoolOptions } from '@tollgate/infra/postgres/pool.ts'
import { openTypedQueries } from '@tollgate/infra/postgres/typed-queries.ts'
import type { Pool } from 'pg'
import type { DatabasePool } from 'slonik'
import { inject } from 'vitest'
import { queryOnce } from '../query-once.ts'

/** The database that the run's set-up migrates, and that no test connects to. */
export const TEMPLATE = 'migrated'

/** A fresh database in the run's cluster. Drop it in afterEach or afterAll. */
export interface TestDatabase {
  readonly url: string
  readonly pool: Pool
  /** Typed queries over the pool. */
  readonly db: DatabasePool
  /** Closes the pool and removes the database, whoever is still connected. */
  drop(): Promise<void>
}

/** Makes an empty database that nobody else uses; `options` for its pool. */
export const createTestDatabase = (options: TestPoolOptions = {}): Promise<TestDatabase> =>
  copyOf('template1', options)

/** The same with all source tables in it (`sourceMigrations`), as the product's first start makes them. */
export const createMigratedDatabase = (options: TestPoolOptions = {}): Promise<TestDatabase> =>
  copyOf(TEMPLATE, options)

type TestPoolOptions = Pick<PoolOptions, 'isPipelined'>

async function copyOf(template: string, options: TestPoolOptions): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  // Copying files takes a sixth of the processor time of the default, which writes each page to the log.
  await queryOnce(adminUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const pool = openPool(url.href, { max: connectionsMax, applicationName: 'test', ...options })
  return {
    url: url.href,
    pool,
    db: await openTypedQueries(pool),
    async drop() {
      await pool.end()
      await queryOnce(adminUrl, `drop database ${name} with (force)`)
    },
  }
}

/** A few workers, each with a Tollgate, share the cluster's connections. */
const connectionsMax = 8
