import { randomBytes } from 'node:crypto'
import {
  access,
  chmod,
  constants,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { EmbeddedPostgresFailure } from './failure.ts'

/** Where things lie in DATA_DIR. Only Tollgate's user can look inside; the cluster belongs to PostgreSQL's user. */
export interface DataFolder {
  /** `DATA_DIR/postgres` */
  readonly home: string
  readonly clusterFolder: string
}

export function dataFolder(dataDir: string): DataFolder {
  const home = join(resolve(dataDir), 'postgres')
  return { home, clusterFolder: join(home, 'cluster') }
}

/** Whether a Tollgate has ever made a cluster there. */
export const hasCluster = ({ clusterFolder }: DataFolder): Promise<boolean> =>
  stat(clusterFolder).then(
    () => true,
    () => false,
  )

/** Makes the folder if needed. Throws DATA_FOLDER_NOT_WRITABLE or DISK_FULL. */
export async function openDataFolder({ home }: DataFolder): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK)
    await writeFile(join(home, 'write-test'), 'written at start to see that it can be')
    await rm(join(home, 'write-test'))
  } catch (error) {
    throw folderFailure(home, error)
  }
}

function folderFailure(home: string, error: unknown): EmbeddedPostgresFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN'
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new EmbeddedPostgresFailure(
      'DISK_FULL',
      `the disk that holds ${home} is full: free some space on it and start again`,
      error,
    )
  }
  return new EmbeddedPostgresFailure(
    'DATA_FOLDER_NOT_WRITABLE',
    `cannot write to ${home} (${code}): give the folder to the user that runs Tollgate, or point DATA_DIR at another one`,
    error,
  )
}

/** Held as long as this process lives; the system lets go of it however the process ends. */
export interface FolderLock {
  release(): void
}

/**
 * Makes sure that no other Tollgate works on the folder. Node itself has no file locks that end with their process;
 * SQLite's exclusive transaction is one. Throws DATA_FOLDER_IN_USE naming the other process.
 */
export function lockDataFolder({ home }: DataFolder): FolderLock {
  const pidPath = join(home, 'tollgate.pid')
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(join(home, 'lock'), { timeout: 0 })
    database.exec('begin exclusive')
    writeFileSync(pidPath, `${process.pid}\n`)
  } catch (error) {
    database?.close()
    if (!isBusy(error)) throw folderFailure(home, error)
    throw new EmbeddedPostgresFailure(
      'DATA_FOLDER_IN_USE',
      `another Tollgate (process ${pidIn(pidPath)}) works on ${home}: stop it, or give this one a DATA_DIR of its own`,
      error,
    )
  }
  const held = database
  return { release: () => held.close() }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy

/** https://sqlite.org/rescode.html#busy */
const sqliteBusy = 5

/** For the message alone: between taking the lock and writing its number the other process has none. */
function pidIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}

/** The superuser's password; null when it was never made or its file is gone. Only Tollgate's user can read it. */
export const rememberedPassword = ({ home }: DataFolder): Promise<string | null> =>
  readRemembered(join(home, 'password'))

/** Makes a password of URL-safe characters and remembers it. */
export async function makePassword({ home }: DataFolder): Promise<string> {
  const password = randomBytes(passwordBytes).toString('base64url')
  await remember(join(home, 'password'), password)
  return password
}

const passwordBytes = 24

/** The port of the last start; null at the first, or when the file makes no sense. */
export async function rememberedPort({ home }: DataFolder): Promise<number | null> {
  const port = Number(await readRemembered(join(home, 'port')))
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null
}

export const rememberPort = ({ home }: DataFolder, port: number): Promise<void> =>
  remember(join(home, 'port'), String(port))

async function readRemembered(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.trim() === '' ? null : text.trim()
}

/** Written beside and moved into place: never half there. */
async function remember(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, `${text}\n`, { mode: 0o600, flush: true })
  await chmod(`${path}.new`, 0o600)
  await rename(`${path}.new`, path)
}
