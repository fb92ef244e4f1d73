import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { dataFolder } from '@tollgate/infra/postgres/data-folder.ts'
import { startEmbeddedPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { addressByPort } from '@tollgate/infra/postgres/socket-folder.ts'
import { copyNewCluster } from './engines/copied-cluster.ts'
import { type NatsServer, startNatsServer } from './engines/nats-server.ts'
import type { Product, ProductOptions } from './product-kinds.ts'
import { queryOnce } from './query-once.ts'
import { openTcpProxy, type TcpProxy } from './engines/tcp-proxy.ts'
import { freePort } from './free-port.ts'
import { type Root, TollgateProcess } from './tollgate-process.ts'

/** Tollgate as several processes over engines of their own. */
export interface DistributedProduct extends Product {
  /** Two of each kind. */
  processes(root: Root): readonly TollgateProcess[]
  readonly nats: NatsServer
  readonly databaseUrl: string
  /** Environment of commands that are run beside it; engines are reached straight, not over wires. */
  readonly env: Readonly<Record<string, string>>
  /** The ways between processes and engines, when they can be cut. */
  readonly links: readonly NetworkLink[]
  /** The one for everything: event log, identity and read models. */
  readonly postgres: {
    stop(): Promise<void>
    start(): Promise<void>
    /** Id of the server's first process, whose end it does not survive; it is then started again by itself. */
    pid(): number
    /** Ends it, keeps a copy of its data as they are then, and starts it again. */
    save(): Promise<void>
    /**
     * Ends it and starts it again on the copy, as when a server is restored. The data until then are kept, and served
     * at the url that `look` is given until `look` is done.
     */
    putBack<Result>(look: (lostUrl: string) => Promise<Result>): Promise<Result>
  }
}

const run = promisify(execFile)

/** The way between one process and one engine. */
export interface NetworkLink extends TcpProxy {
  /** Such as `relay 2 - nats`. */
  readonly name: string
}

const ROOTS: readonly Root[] = ['api', 'api', 'relay', 'relay', 'projector', 'projector']

const silent = { info() {}, warn() {}, debug() {} }

/** Starts PostgreSQL, nats-server, two of each kind of process, and waits until all are ready. */
export async function startDistributedProduct(
  options: ProductOptions = {},
): Promise<DistributedProduct> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-distributed-'))
  const { isDurable = false } = options
  const folderOf = (name: string): string => join(home, name)
  const engines = { dataDir: join(home, 'engines'), logger: silent, isDurable }
  const pidFile = join(dataFolder(engines.dataDir).clusterFolder, 'postmaster.pid')
  await copyNewCluster(engines.dataDir)
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
  const links: NetworkLink[] = []
  const linksOf = async (name: string): Promise<Readonly<Record<string, string>>> => {
    if (options.isCuttable !== true) return {}
    const toNats = await openTcpProxy(nats.port)
    const toPostgres = await openTcpProxy(Number(new URL(url).port))
    links.push({ ...toNats, name: `${name} - nats` }, { ...toPostgres, name: `${name} - postgres` })
    const database = new URL(addressByPort(url))
    database.port = String(toPostgres.port)
    return { NATS_URL: `nats://127.0.0.1:${toNats.port}`, DATABASE_URL: database.href }
  }
  const processes = await Promise.all(
    ROOTS.map(async (root, index) => {
      const number = ROOTS.slice(0, index + 1).filter((one) => one === root).length
      const own = { ...env, ...(await linksOf(`${root} ${number}`)) }
      return new TollgateProcess(root, await freePort(), own)
    }),
  )
  const dispose = async (): Promise<void> => {
    const running = processes.filter(({ isRunning }) => isRunning)
    await Promise.all(running.map((one) => one.terminate()))
    await Promise.all(links.map((link) => link.close()))
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
  const startPostgres = async (): Promise<void> => {
    postgres = await startEmbeddedPostgres({ ...engines, port: Number(new URL(url).port) })
  }
  // Owners and modes too: PostgreSQL insists on them.
  const copyOf = (from: string, to: string): Promise<unknown> =>
    run('cp', ['-a', folderOf(from), folderOf(to)])
  return {
    url: urlsOf('api')[0] ?? '',
    relayUrls: urlsOf('relay'),
    processes: (root) => processes.filter((_, index) => ROOTS[index] === root),
    nats,
    databaseUrl: url,
    env,
    links,
    postgres: {
      stop: () => postgres.stop(),
      start: startPostgres,
      pid: () => Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0]),
      async save() {
        await postgres.stop()
        await copyOf('engines', 'saved')
        await startPostgres()
      },
      async putBack(look) {
        await postgres.stop()
        renameSync(folderOf('engines'), folderOf('lost'))
        await copyOf('saved', 'engines')
        await startPostgres()
        const lost = await startEmbeddedPostgres({
          ...engines,
          dataDir: folderOf('lost'),
          port: await freePort(),
        })
        try {
          return await look(lost.url)
        } finally {
          await lost.stop()
        }
      },
    },
    logs: () => processes.map((one) => one.logs()).join('\n'),
    query: (sql) => queryOnce(url, sql),
    dispose,
  }
}
