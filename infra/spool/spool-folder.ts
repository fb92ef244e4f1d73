import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Charges on disk, in `DATA_DIR/spool`. A file is written beside its name, flushed, given its name and never changed
 * again: processes that share the folder need no lock. The process that has delivered a file removes it; delivering one
 * twice charges nothing twice.
 *
 * - `<unix ms>-<uuid>.jsonl`: charges to deliver.
 * - `<unix ms>-<uuid>.jsonl.part`: being written, or left behind by a crash.
 * - `refused-<unix ms>-<uuid>.jsonl`: charges that the ledger refused for good, for an operator.
 */
export const spoolFolder = (dataDir: string): string => join(dataDir, 'spool')

const ENDING = '.jsonl'
const PART = '.part'
const REFUSED = 'refused-'
/** Writing a file takes seconds at most: an older one that has no name yet was left behind. */
const LEFT_BEHIND_MS = 60_000
/** Another process takes a file for left behind at most this often while it is being written. */
const ATTEMPTS_MAX = 3

/** Only Tollgate's user may read them: they name models and users. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

export type SpoolKind = 'charges' | 'refused'

const newName = (kind: SpoolKind, now: number): string =>
  `${kind === 'refused' ? REFUSED : ''}${now}-${randomUUID()}${ENDING}`

/** Resolves with the file's path when its text is on disk. Fails as the file system does. */
export async function writeSpool(
  folder: string,
  kind: SpoolKind,
  text: string,
  now: number,
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  for (let attempt = 1; ; attempt++) {
    const path = join(folder, newName(kind, now))
    try {
      const file = await open(path + PART, 'wx', FILE_MODE)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(path + PART, path)
      await syncFolder(folder)
      return path
    } catch (error) {
      if (!isMissing(error) || attempt === ATTEMPTS_MAX) throw await withoutPart(path, error)
    }
  }
}

/** The same before it returns. */
export function writeSpoolNow(folder: string, kind: SpoolKind, text: string, now: number): string {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  for (let attempt = 1; ; attempt++) {
    const path = join(folder, newName(kind, now))
    try {
      const file = openSync(path + PART, 'wx', FILE_MODE)
      try {
        writeFileSync(file, text)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(path + PART, path)
      const opened = openSync(folder, 'r')
      fsyncSync(opened)
      closeSync(opened)
      return path
    } catch (error) {
      if (isMissing(error) && attempt < ATTEMPTS_MAX) continue
      rmSync(path + PART, { force: true })
      throw error
    }
  }
}

/** The files in the spool. */
export interface SpoolListing {
  /** Paths of the files to deliver, the oldest first. */
  readonly charges: readonly string[]
  /** Paths of the files that wait for an operator. */
  readonly refused: readonly string[]
}

/** Lists the folder; what a crash left behind half written is given its name first. A missing folder is empty. */
export async function listSpool(folder: string, now: number): Promise<SpoolListing> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const claimed = await Promise.all(
    names.filter((name) => name.endsWith(PART)).map((name) => claim(folder, name, now)),
  )
  const whole = [...names, ...claimed.filter((name) => name !== null)]
    .filter((name) => name.endsWith(ENDING))
    .toSorted()
  const pathsOf = (isWanted: (name: string) => boolean): readonly string[] =>
    whole.filter(isWanted).map((name) => join(folder, name))
  return {
    charges: pathsOf((name) => !name.startsWith(REFUSED)),
    refused: pathsOf((name) => name.startsWith(REFUSED)),
  }
}

/** Removes a delivered file; another process may have done so before. */
export const removeSpool = (path: string): Promise<void> => rm(path, { force: true })

/** The writer, should it live after all, finds its file gone and writes another. */
async function claim(folder: string, name: string, now: number): Promise<string | null> {
  const path = join(folder, name)
  try {
    if (now - (await stat(path)).mtimeMs < LEFT_BEHIND_MS) return null
    await rename(path, path.slice(0, -PART.length))
    return name.slice(0, -PART.length)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r')
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

/** The failure, once nothing half written is left. */
async function withoutPart(path: string, error: unknown): Promise<unknown> {
  await rm(path + PART, { force: true }).catch(() => undefined)
  return error
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
