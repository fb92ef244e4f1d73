import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import { installedBinaries } from './binaries.ts'
import { clusterUser } from './cluster-user.ts'
import { clusterRole, createCluster } from './create-cluster.ts'
import type { PostgresLog } from './server.ts'
import { startServer } from './server.ts'

/** The PostgreSQL that Tollgate brings along and looks after. */
export interface EmbeddedPostgres {
  /** With the password; stays valid for the life of this object. */
  readonly url: string
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  /** DATA_DIR; all that belongs to PostgreSQL lies in `postgres/` below it. */
  readonly dataDir: string
  readonly logger: PostgresLog
  /** False for clusters that nobody will miss: faster, and lost when the machine stops. Default true. */
  readonly isDurable?: boolean
}

/** Makes the cluster if there is none and starts PostgreSQL on it. */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const isDurable = options.isDurable ?? true
  const home = join(resolve(options.dataDir), 'postgres')
  const clusterFolder = join(home, 'cluster')
  await mkdir(home, { recursive: true, mode: 0o700 })
  const access = {
    binaries: await installedBinaries(),
    clusterFolder,
    user: await clusterUser(clusterFolder),
  }
  const password = await rememberedPassword(home)
  if (!(await exists(clusterFolder))) await createCluster(access, { password, isDurable })
  const port = await freePort()
  const server = await startServer({ ...access, port, isDurable, log: options.logger })
  const url = `postgres://${clusterRole}:${password}@127.0.0.1:${port}/${clusterRole}`
  await ensureDatabase(url)
  return { url, stop: () => server.stop() }
}

async function rememberedPassword(home: string): Promise<string> {
  const path = join(home, 'password')
  const known = await readFile(path, 'utf8').catch(() => null)
  if (known !== null) return known.trim()
  const password = randomBytes(24).toString('base64url')
  await writeFile(path, `${password}\n`, { mode: 0o600 })
  await chmod(path, 0o600)
  return password
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url.replace(/[^/]*$/, 'postgres') })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      clusterRole,
    ])
    if (rowCount === 0) await client.query(`create database ${clusterRole}`)
  } finally {
    await client.end()
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done))
  const { port } = probe.address() as AddressInfo
  await new Promise((done) => probe.close(done))
  return port
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
