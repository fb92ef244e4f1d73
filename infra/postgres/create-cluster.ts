import { once } from 'node:events'
import { chown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ClusterAccess } from './cluster-process.ts'
import { spawnOnCluster } from './cluster-process.ts'
import { explainOutput } from './explain-output.ts'

/** The superuser and the database of every embedded cluster. */
export const clusterRole = 'tollgate'

/**
 * Makes a new cluster in `access.clusterFolder`, which must not be there yet. It is built under another name and moved
 * into place when it is whole, so that a start that was killed halfway leaves nothing that looks like a cluster.
 */
export async function createCluster(access: ClusterAccess, options: NewCluster): Promise<void> {
  await removeUnfinished(access.clusterFolder)
  const building = `${access.clusterFolder}${unfinishedSuffix}`
  await mkdir(building, { mode: 0o700 })
  if (access.user !== null) await chown(building, access.user.uid, access.user.gid)
  await runInitdb({ ...access, clusterFolder: building }, options)
  await rename(building, access.clusterFolder)
}

export interface NewCluster {
  /** Password of the superuser. */
  readonly password: string
  /** False skips the final sync to disk; for clusters that nobody will miss. */
  readonly isDurable: boolean
}

const unfinishedSuffix = '.unfinished'

async function removeUnfinished(clusterFolder: string): Promise<void> {
  const parent = dirname(clusterFolder)
  for (const name of await readdir(parent)) {
    if (name.endsWith(unfinishedSuffix)) await rm(join(parent, name), { recursive: true })
  }
}

async function runInitdb(access: ClusterAccess, options: NewCluster): Promise<void> {
  const passwordFile = await openPasswordFile(access, options.password)
  try {
    const child = spawnOnCluster(
      access,
      'initdb',
      [
        `--username=${clusterRole}`,
        '--auth=scram-sha-256',
        `--pwfile=${passwordFile.argument}`,
        '--encoding=UTF8',
        // The collation that PostgreSQL itself carries: an upgrade of the machine's locales cannot break an index.
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        ...(options.isDurable ? [] : ['--no-sync']),
      ],
      ['ignore', 'ignore', 'pipe', passwordFile.descriptor],
    )
    let output = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text))
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    if (code !== 0) throw explainOutput('creating the PostgreSQL cluster', output, { code, signal })
  } finally {
    await passwordFile.close()
  }
}

/**
 * Gives the superuser of a stopped cluster another password, for when the file with the old one is gone: who can write
 * the cluster's files needs no password.
 */
export async function resetPassword(access: ClusterAccess, password: string): Promise<void> {
  const child = spawnOnCluster(access, 'postgres', ['--single', 'postgres'], 'pipe')
  let output = ''
  child.stdout?.resume()
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stdin?.end(`alter role ${clusterRole} password '${password}'\n`)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0 || output.includes('ERROR:')) {
    throw explainOutput('setting a new PostgreSQL password', output, { code, signal })
  }
}

/**
 * initdb wants the password in a file. It gets one that has no name any more, by its descriptor: nobody else can open
 * it, and nothing is left behind if we are killed. Where there is no /proc, a file beside the cluster does.
 */
async function openPasswordFile(access: ClusterAccess, password: string) {
  const path = `${access.clusterFolder}.password`
  await rm(path, { force: true })
  await writeFile(path, `${password}\n`, { mode: 0o600 })
  if (access.user !== null) await chown(path, access.user.uid, access.user.gid)
  const handle = await open(path)
  const isLinux = process.platform === 'linux'
  if (isLinux) await rm(path)
  return {
    argument: isLinux ? `/proc/self/fd/${inheritedDescriptor}` : path,
    descriptor: handle.fd,
    close: async () => {
      await handle.close()
      await rm(path, { force: true })
    },
  }
}

/** The first after stdin, stdout and stderr. */
const inheritedDescriptor = 3
