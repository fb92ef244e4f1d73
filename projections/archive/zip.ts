import { createHash } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import yazl from 'yazl'

/** A part of a file, with what its lines or transactions add to the file's figures. */
export interface Piece {
  readonly text: string
  readonly rows: number
  /** In quota; bigint, as they may pass 2^53. */
  readonly debits: bigint
  readonly credits: bigint
}

/** Text that counts for nothing, such as a head. */
export const bare = (text: string): Piece => ({ text, rows: 0, debits: 0n, credits: 0n })

/** A file to be packed; its pieces are made as the archive is read. */
export interface FileToPack {
  readonly name: string
  readonly pieces: AsyncIterable<Piece>
}

/** A packed file: its size, checksum and sums. */
export interface PackedFile {
  readonly name: string
  readonly bytes: number
  /** SHA-256 of its bytes as unpacked, in hexadecimal. */
  readonly sha256: string
  readonly rows: number
  /** Decimal text. */
  readonly debits: string
  readonly credits: string
}

/**
 * An archive of some files and, last, of `manifest.json`, which tells about them. Nothing is kept in memory: the next
 * piece of a file is made when the reader has taken the one before. Where a file fails, or the reader goes away, the
 * stream breaks off without the directory that every ZIP ends with, and the files' generators are closed.
 */
export function zipOf(
  files: readonly FileToPack[],
  manifest: (packed: readonly PackedFile[]) => unknown,
  mtime: Date,
): Readable {
  const zip = new yazl.ZipFile()
  const archive = new PassThrough()
  const packed: PackedFile[] = []
  let current: Readable | null = null
  const pack = (name: string, content: AsyncIterable<Buffer>): void =>
    zip.addReadStreamLazy(name, { mtime }, (give) => {
      current = Readable.from(content, { objectMode: true, highWaterMark: 1 })
      current.on('error', (error) => archive.destroy(error))
      give(null, current)
    })
  zip.on('error', (error: Error) => archive.destroy(error))
  archive.once('close', () => current?.destroy())
  for (const file of files) pack(file.name, measured(file, packed))
  pack(
    'manifest.json',
    oneText(() => `${JSON.stringify(manifest(packed), null, 2)}\n`),
  )
  zip.end()
  return zip.outputStream.pipe(archive)
}

async function* measured(
  { name, pieces }: FileToPack,
  packed: PackedFile[],
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let [bytes, rows, debits, credits] = [0, 0, 0n, 0n]
  for await (const piece of pieces) {
    rows += piece.rows
    debits += piece.debits
    credits += piece.credits
    if (piece.text === '') continue
    const buffer = Buffer.from(piece.text)
    hash.update(buffer)
    bytes += buffer.length
    yield buffer
  }
  const sums = { debits: String(debits), credits: String(credits) }
  packed.push({ name, bytes, sha256: hash.digest('hex'), rows, ...sums })
}

async function* oneText(text: () => string): AsyncGenerator<Buffer> {
  yield Buffer.from(text())
}
