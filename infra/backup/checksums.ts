import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BackupFailure } from './failure.ts'

/** In the format of coreutils, so that `sha256sum -c SHA256SUMS` checks a backup, too. */
export const CHECKSUMS_FILE = 'SHA256SUMS'

/** SHA-256 of a backup's files, lower-case hex by file name. */
export type Checksums = ReadonlyMap<string, string>

export async function writeChecksums(folder: string, checksums: Checksums): Promise<void> {
  const lines = [...checksums].map(([file, sum]) => `${sum}  ${file}\n`)
  await writeFile(join(folder, CHECKSUMS_FILE), lines.join(''), { mode: 0o600, flush: true })
}

/** Reads every file that the list must have and compares. Throws BACKUP_DAMAGED naming the file. */
export async function verifyChecksums(
  folder: string,
  files: readonly string[],
  onBytes: (bytes: number) => void,
): Promise<void> {
  const listed = await readChecksums(folder)
  for (const file of files) {
    const sum = await checksumOf(join(folder, file), onBytes).catch((error: unknown) => {
      throw damaged(folder, `${file} cannot be read`, error)
    })
    if (listed.get(file) !== sum) throw damaged(folder, `${file} has another checksum`)
  }
}

async function readChecksums(folder: string): Promise<Checksums> {
  const text = await readFile(join(folder, CHECKSUMS_FILE), 'utf8').catch((error: unknown) => {
    throw damaged(folder, `${CHECKSUMS_FILE} is missing`, error)
  })
  const lines = text.split('\n').map((line) => /^([0-9a-f]{64}) {2}(.+)$/.exec(line))
  return new Map(lines.flatMap((line) => (line?.[1] && line[2] ? [[line[2], line[1]]] : [])))
}

/** SHA-256 of a file, lower-case hex. */
export async function checksumOf(
  path: string,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), (chunks: AsyncIterable<Buffer>) =>
    consume(chunks, hash, onBytes),
  )
  return hash.digest('hex')
}

async function consume(
  chunks: AsyncIterable<Buffer>,
  hash: Hash,
  onBytes: (bytes: number) => void,
): Promise<void> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    onBytes(chunk.length)
  }
}

const damaged = (folder: string, what: string, cause?: unknown): BackupFailure =>
  new BackupFailure(
    'BACKUP_DAMAGED',
    `the backup ${folder} is damaged: ${what}. Nothing was restored; use another copy`,
    cause,
  )
