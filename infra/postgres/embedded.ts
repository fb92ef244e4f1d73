import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Binaries } from './binaries.ts'
import { installedBinaries, runnableBinaries } from './binaries.ts'
import type { ClusterAccess } from './cluster-process.ts'
import { clusterUser } from './cluster-user.ts'
import { clusterRole, createCluster, resetPassword } from './create-cluster.ts'
import type { DataFolder } from './data-folder.ts'
import {
  dataFolder,
  hasCluster,
  lockDataFolder,
  makePassword,
  openDataFolder,
  rememberedPassword,
  rememberedPort,
  rememberPort,
} from './data-folder.ts'
import { EmbeddedPostgresFailure } from './failure.ts'
import { endLeftovers } from './leftover-processes.ts'
import type { PostgresLog } from './server.ts'
import { canHoldSocket, localAddress } from './socket-folder.ts'
import type { PostgresState } from './supervisor.ts'
import { superviseServer } from './supervisor.ts'

/** The PostgreSQL that Tollgate brings along and looks after. */
export interface EmbeddedPostgres {
  /** With the password; by the cluster's socket where it has one. Stays valid for the life of this object, also over restarts of PostgreSQL. */
  readonly url: string
  state(): PostgresState
  /** Calls on every change from now on; the answer ends that. */
  onStateChange(listener: (state: PostgresState) => void): () => void
  /** Ends PostgreSQL in good order and lets go of the data folder. */
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  /** DATA_DIR; all that belongs to PostgreSQL lies in `postgres/` below it. */
  readonly dataDir: string
  readonly logger: PostgresLog
  /** On 127.0.0.1. Default: the port of the last start, or any that is free. */
  readonly port?: number
  /** False for clusters that nobody will miss: faster, and lost when the machine stops. Default true. */
  readonly isDurable?: boolean
  /** Default: what npm installed. */
  readonly binaries?: Binaries
  /** Where a copy of the binaries may lie, in order of preference; default /var/lib/tollgate, then the temporary folder. */
  readonly binaryCacheFolders?: readonly string[]
}

/**
 * Makes the cluster if there is none, ends what an earlier Tollgate left running on it, starts PostgreSQL and keeps it
 * running. Throws EmbeddedPostgresFailure, whose message says what to do.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const folder = dataFolder(options.dataDir)
  await openDataFolder(folder)
  const lock = lockDataFolder(folder)
  try {
    const { access, password } = await prepareCluster(folder, options)
    const { server, port } = await startOnSomePort(access, folder, options)
    await ensureDatabase(urlOf(password, port, 'postgres')).catch(async (error: unknown) => {
      await server.stop()
      throw error
    })
    return {
      url: localAddress(urlOf(password, port, clusterRole), folder.clusterFolder),
      state: () => server.state(),
      onStateChange: (listener) => server.onStateChange(listener),
      async stop() {
        await server.stop()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Where the embedded PostgreSQL of a running Tollgate listens; null when there has never been one in this folder. */
export async function urlOfRunningPostgres(dataDir: string): Promise<string | null> {
  const folder = dataFolder(dataDir)
  const [port, password] = [await rememberedPort(folder), await rememberedPassword(folder)]
  if (port === null || password === null) return null
  return localAddress(urlOf(password, port, clusterRole), folder.clusterFolder)
}

const urlOf = (password: string, port: number, database: string): string =>
  `postgres://${clusterRole}:${password}@127.0.0.1:${port}/${database}`

async function prepareCluster(
  folder: DataFolder,
  options: EmbeddedPostgresOptions,
): Promise<{ access: ClusterAccess; password: string }> {
  const { clusterFolder } = folder
  const user = await clusterUser(clusterFolder)
  const access = {
    clusterFolder,
    user,
    binaries: await runnableBinaries(
      options.binaries ?? (await installedBinaries()),
      user,
      options.binaryCacheFolders ?? defaultCacheFolders,
    ),
  }
  const known = await rememberedPassword(folder)
  const password = known ?? (await makePassword(folder))
  if (await hasCluster(folder)) {
    await refuseOtherMajorVersion(access)
    await endLeftovers(clusterFolder, options.logger)
    if (known === null) await resetPassword(access, password)
  } else {
    options.logger.info(`creating a PostgreSQL cluster in ${clusterFolder}`)
    await createCluster(access, { password, isDurable: options.isDurable ?? true })
  }
  return { access, password }
}

/** The first survives a restart of the machine; the second is there where the first cannot be written. */
const defaultCacheFolders = ['/var/lib/tollgate', tmpdir()]

async function refuseOtherMajorVersion(access: ClusterAccess): Promise<void> {
  const path = join(access.clusterFolder, 'PG_VERSION')
  const found = (await readFile(path, 'utf8').catch(() => 'unknown')).trim()
  const expected = access.binaries.build.split('.', 1)[0]
  if (found === expected) return
  throw new EmbeddedPostgresFailure(
    'OTHER_MAJOR_VERSION',
    `${access.clusterFolder} holds data of PostgreSQL ${found}, and this Tollgate brings PostgreSQL ${expected}: start the Tollgate that wrote it, or give this one a DATA_DIR of its own`,
  )
}

async function startOnSomePort(
  access: ClusterAccess,
  folder: DataFolder,
  options: EmbeddedPostgresOptions,
) {
  const hasSocket = await canHoldSocket(access.clusterFolder)
  let port = options.port ?? (await rememberedPort(folder)) ?? (await freePort())
  for (let attempt = 1; ; attempt += 1) {
    try {
      const server = await superviseServer({
        ...access,
        port,
        hasSocket,
        isDurable: options.isDurable ?? true,
        log: options.logger,
      })
      await rememberPort(folder, port)
      return { server, port }
    } catch (error) {
      const isTaken = error instanceof EmbeddedPostgresFailure && error.code === 'PORT_IN_USE'
      if (!isTaken || options.port !== undefined || attempt === portAttemptsMax) throw error
      options.logger.info(`port ${port} is taken by another program; looking for a free one`)
      port = await freePort()
    }
  }
}

/** A port found free can be taken before PostgreSQL has it; five times in a row is no coincidence. */
const portAttemptsMax = 5

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** initdb makes none for us; the next start makes up for a first one that was killed before it came here. */
async function ensureDatabase(adminUrl: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl })
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
