import { spawn } from 'node:child_process'
import type { ChildProcess, StdioOptions } from 'node:child_process'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import type { ClusterUser } from './cluster-user.ts'

/** The access that any of PostgreSQL's programs needs to run on a cluster. */
export interface ClusterAccess {
  readonly binaries: Binaries
  /** Absolute path of the cluster (PostgreSQL: data directory). */
  readonly clusterFolder: string
  /** Null: the user of this process. */
  readonly user: ClusterUser | null
}

/**
 * Runs one of PostgreSQL's programs on a cluster, as the cluster's user.
 *
 * The working directory is the cluster, entered before the user changes, and the program is told to look there. So the
 * cluster may lie below folders that its user cannot enter (a clone made by root with mode 0700): no permission of
 * anybody's folder is changed and no data is kept anywhere but in DATA_DIR.
 *
 * The process leads a session of its own: Ctrl-C in a terminal reaches Tollgate alone, which then stops PostgreSQL when
 * it has finished writing.
 */
export function spawnOnCluster(
  access: ClusterAccess,
  program: 'postgres' | 'initdb',
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess {
  return spawn(join(access.binaries.folder, 'bin', program), args, {
    cwd: access.clusterFolder,
    env: { ...environment, PGDATA: clusterPath(access) },
    stdio,
    detached: true,
    ...(access.user === null ? {} : { uid: access.user.uid, gid: access.user.gid }),
  })
}

/** Linux resolves this link without walking the path; every PostgreSQL process stays in the cluster's folder. */
const clusterPath = ({ clusterFolder, user }: ClusterAccess): string =>
  user === null ? clusterFolder : '/proc/self/cwd'

/** Nothing of ours: variables such as PGPORT or a locale would change what PostgreSQL does and says. */
const environment = { LC_ALL: 'C', TZ: 'UTC' }
