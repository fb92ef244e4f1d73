import { execFile } from 'node:child_process'
import { readFile, readdir, readlink, realpath, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { EmbeddedPostgresFailure } from './failure.ts'
import type { PostgresLog } from './server.ts'
import { removeSockets } from './socket-folder.ts'

/**
 * Ends what an earlier PostgreSQL left behind on a cluster: a server whose Tollgate was killed, or sessions whose server
 * was killed. Nothing committed is lost. To be called by the holder of the folder's lock only, so that no other Tollgate
 * can be the owner of what it finds. Throws PID_FILE_CORRUPT where the system cannot tell which processes there are.
 */
export async function endLeftovers(clusterFolder: string, log: PostgresLog): Promise<void> {
  const server = await pidInFile(clusterFolder)
  for (const step of politeness) {
    const leftovers = await processesOn(clusterFolder)
    if (leftovers.length === 0) break
    // A server ends its sessions in good order. Sessions without a server understand the harsher signals only.
    const isServerThere = typeof server === 'number' && leftovers.includes(server)
    if (!isServerThere && step.signal === 'SIGINT') continue
    const told = isServerThere ? [server] : leftovers
    log.warn(
      `an earlier PostgreSQL still runs (process ${told.join(', ')}); ending it with ${step.signal}`,
    )
    for (const pid of told) signalIfThere(pid, step.signal)
    await waitUntilGone(clusterFolder, step.waitMs)
  }
  await removeMisleadingPidFile(clusterFolder, log)
  await removeSockets(clusterFolder)
}

/** Fast shutdown, immediate shutdown, no shutdown. The last two leave recovery to the next start. */
const politeness = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const

const pollIntervalMs = 20

async function waitUntilGone(clusterFolder: string, waitMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollIntervalMs) {
    if ((await processesOn(clusterFolder)).length === 0) return
    await sleep(pollIntervalMs)
  }
}

/** PostgreSQL processes that work on this cluster: all of them stand in its folder. */
async function processesOn(clusterFolder: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return processesByPidFile(clusterFolder)
  const folder = await realpath(clusterFolder)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const areOurs = await Promise.all(pids.map((pid) => isPostgresIn(pid, folder)))
  return pids.filter((_, index) => areOurs[index])
}

async function isPostgresIn(pid: number, folder: string): Promise<boolean> {
  // Processes of others cannot be looked at, and processes end while we look: neither is one of ours.
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '')
  if (cwd !== folder) return false
  const program = await readlink(`/proc/${pid}/exe`).catch(() => '')
  // The system appends ` (deleted)` when the program's file was replaced since.
  return /^postgres( \(deleted\))?$/.test(basename(program))
}

/** Without /proc: the server that the cluster's own file names, if a program of that name has the number. */
async function processesByPidFile(clusterFolder: string): Promise<readonly number[]> {
  const pid = await pidInFile(clusterFolder)
  if (typeof pid !== 'number') return []
  const answer = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'comm=']).catch(
    () => null,
  )
  return answer !== null && basename(answer.stdout.trim()) === 'postgres' ? [pid] : []
}

/**
 * PostgreSQL refuses to start when its file makes no sense or names a number that some other program has by now. Both
 * happen after a power cut. No PostgreSQL works on the cluster at this point, so the file is of no use.
 */
async function removeMisleadingPidFile(clusterFolder: string, log: PostgresLog): Promise<void> {
  const pid = await pidInFile(clusterFolder)
  if (pid === 'none' || (pid !== 'unreadable' && !isAlive(pid))) return
  if (pid === 'unreadable' && process.platform !== 'linux') {
    throw new EmbeddedPostgresFailure(
      'PID_FILE_CORRUPT',
      `${pidFile(clusterFolder)} is damaged: make sure that no postgres process uses this folder, delete the file and start again`,
    )
  }
  log.warn(`removing ${pidFile(clusterFolder)}, which names no running PostgreSQL`)
  await rm(pidFile(clusterFolder))
}

const pidFile = (clusterFolder: string): string => join(clusterFolder, 'postmaster.pid')

async function pidInFile(clusterFolder: string): Promise<number | 'none' | 'unreadable'> {
  const text = await readFile(pidFile(clusterFolder), 'utf8').catch(() => null)
  if (text === null) return 'none'
  const pid = Number(text.split('\n', 1)[0])
  return Number.isInteger(pid) && pid > 0 ? pid : 'unreadable'
}

const isAlive = (pid: number): boolean => signalIfThere(pid, 0)

/** False when there is no such process (any more). One that we may not signal is there. */
function signalIfThere(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
