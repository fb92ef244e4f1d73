import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { EmbeddedPostgresFailure } from './failure.ts'

/** The account that PostgreSQL runs under when Tollgate itself runs as root, which PostgreSQL refuses. */
export interface ClusterUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Null when PostgreSQL can run as the user that Tollgate runs as. As root: the owner of the cluster if there is one, so
 * that a cluster keeps its user for life, else the first account of `candidates` that the machine has.
 * Throws NO_UNPRIVILEGED_USER.
 */
export async function clusterUser(clusterFolder: string): Promise<ClusterUser | null> {
  if (process.geteuid?.() !== 0) return null
  if (process.platform !== 'linux') {
    throw new EmbeddedPostgresFailure(
      'NO_UNPRIVILEGED_USER',
      'PostgreSQL does not run as root, and on this system Tollgate cannot run it as somebody else: start Tollgate as an ordinary user, or set DATABASE_URL',
    )
  }
  const owner = await stat(clusterFolder).catch(() => null)
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  for (const name of candidates) {
    const user = await lookUp(name)
    if (user !== null && user.uid !== 0) return user
  }
  throw new EmbeddedPostgresFailure(
    'NO_UNPRIVILEGED_USER',
    `PostgreSQL does not run as root, and this machine has none of the accounts ${candidates.join(', ')}: create one (useradd --system tollgate), start Tollgate as an ordinary user, or set DATABASE_URL`,
  )
}

/** An account of our own, if an operator made one; the one that PostgreSQL packages make; the one nearly all have. */
const candidates = ['tollgate', 'postgres', 'nobody']

async function lookUp(name: string): Promise<ClusterUser | null> {
  const [uid, gid] = await Promise.all([idOf('-u', name), idOf('-g', name)])
  return uid === null || gid === null ? null : { uid, gid }
}

/** `id` asks the machine's name service, which knows more than /etc/passwd; null for an account that is not there. */
async function idOf(flag: '-u' | '-g', name: string): Promise<number | null> {
  const answer = await promisify(execFile)('id', [flag, name]).catch(() => null)
  return answer === null ? null : Number(answer.stdout)
}
