import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { urlOfRunningPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { startDistributedProduct } from './distributed-product.ts'
import type { Product, ProductOptions } from './product-kinds.ts'
import { copyNewCluster } from './engines/copied-cluster.ts'
import { queryOnce } from './query-once.ts'
import { freePort } from './free-port.ts'
import { TollgateProcess } from './tollgate-process.ts'

/** All of Tollgate in one process, which can be ended and started again. */
export interface SingleProduct extends Product {
  readonly dataDir: string
  /** Process id of the present run. */
  readonly pid: () => number
  /** SIGTERM, and waits for the end, by default not longer than a stop may take; resolves with the exit code. */
  terminate(withinMs?: number): Promise<number | null>
  /** SIGKILL to the process alone (its database is orphaned) or to everything it started. */
  kill(what?: 'alone' | 'everything'): Promise<void>
  /** Starts it again on the same data and port, and waits until it is ready. */
  start(): Promise<void>
}

/** Set by vitest.config.ts for the tests that run against several processes as well as against one. */
const TOPOLOGY = process.env['TOLLGATE_TEST_TOPOLOGY'] ?? 'embedded'

/** Starts Tollgate in the topology that this test run is about. */
export const startProduct = (options: ProductOptions = {}): Promise<Product> =>
  TOPOLOGY === 'distributed' ? startDistributedProduct(options) : startOnSharedPostgres(options)

/**
 * All of Tollgate in one process, with a database of its own in the run's PostgreSQL: a start without making a cluster
 * takes half the processor time. For tests that neither end nor restart it.
 */
async function startOnSharedPostgres({ env }: ProductOptions): Promise<Product> {
  // Only here: benches start products, too, outside vitest.
  const { createMigratedDatabase } = await import('./engines/database.ts')
  const database = await createMigratedDatabase()
  const masterKey = randomBytes(32).toString('base64')
  const own = { DATABASE_URL: database.url, MASTER_KEY: masterKey, ...env }
  const product = await startSingleProduct({ env: own })
  return {
    url: product.url,
    relayUrls: product.relayUrls,
    logs: product.logs,
    query: (sql) => queryOnce(database.url, sql),
    async dispose() {
      await product.dispose()
      await database.drop()
    },
  }
}

/** Starts Tollgate (infra/processes/all-in-one.ts), on an empty data folder unless one is given; it goes with the product. */
export async function startSingleProduct(
  options: ProductOptions = {},
  dataDir: string = mkdtempSync(join(tmpdir(), 'tollgate-product-')),
): Promise<SingleProduct> {
  const env: Readonly<Record<string, string>> = { DATA_DIR: dataDir, ...options.env }
  if (env['DATABASE_URL'] === undefined) await copyNewCluster(env['DATA_DIR'] ?? dataDir)
  const running = new TollgateProcess('all-in-one', await freePort(), env)
  await running.start()
  return {
    url: running.url,
    relayUrls: [running.url],
    dataDir,
    pid: running.pid,
    logs: running.logs,
    start: () => running.start(),
    terminate: (withinMs) => running.terminate(withinMs),
    kill: (what) => running.kill(what),
    async query(sql) {
      const url = await urlOfRunningPostgres(dataDir)
      if (url === null) throw new Error('the product has no database yet')
      return queryOnce(url, sql)
    },
    async dispose() {
      if (running.isRunning) await running.terminate()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
