import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { type NatsServer, startNatsServer } from './nats-server.ts'
import type { Product, ProductOptions } from './product-kinds.ts'
import { queryOnce } from './query-once.ts'
import { freePort, type Root, TollgateProcess } from './tollgate-process.ts'

/** Tollgate as several processes over engines of their own. */
export interface DistributedProduct extends Product {
  /** Two of each kind. */
  processes(root: Root): readonly TollgateProcess[]
  readonly nats: NatsServer
  /** The one for everything: event log, identity and read models. */
  readonly postgres: { stop(): Promise<void>; start(): Promise<void> }
}

const ROOTS: readonly Root[] = ['api', 'api', 'relay', 'relay', 'projector', 'projector']

const silent = { info() {}, warn() {}, debug() {} }

/** Starts PostgreSQL, nats-server, two of each kind of process, and waits until all are ready. */
export async function startDistributedProduct(
  options: ProductOptions = {},
): Promise<DistributedProduct> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-distributed-'))
  const engines = { dataDir: join(home, 'engines'), logger: silent, isDurable: false }
  let postgres = await startEmbeddedPostgres(engines)
  const { url } = postgres
  const nats = await startNatsServer()
  const env = {
    DATA_DIR: join(home, 'data'),
    DATABASE_URL: url,
    NATS_URL: nats.url,
    MASTER_KEY: randomBytes(32).toString('base64'),
    ...options.env,
  }
  const processes = await Promise.all(
    ROOTS.map(async (root) => new TollgateProcess(root, await freePort(), env)),
  )
  const dispose = async (): Promise<void> => {
    const running = processes.filter(({ isRunning }) => isRunning)
    await Promise.all(running.map((one) => one.terminate()))
    await nats.dispose()
    await postgres.stop()
    rmSync(home, { recursive: true, force: true })
  }
  try {
    await Promise.all(processes.map((one) => one.start()))
  } catch (error) {
    await dispose()
    throw error
  }
  const urlsOf = (root: Root): readonly string[] =>
    processes.filter((_, index) => ROOTS[index] === root).map(({ url }) => url)
  return {
    url: urlsOf('api')[0] ?? '',
    relayUrls: urlsOf('relay'),
    processes: (root) => processes.filter((_, index) => ROOTS[index] === root),
    nats,
    postgres: {
      stop: () => postgres.stop(),
      async start() {
        postgres = await startEmbeddedPostgres({ ...engines, port: Number(new URL(url).port) })
      },
    },
    logs: () => processes.map((one) => one.logs()).join('\n'),
    query: (sql) => queryOnce(url, sql),
    dispose,
  }
}
