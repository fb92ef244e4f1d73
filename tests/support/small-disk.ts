import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of its own that a test can really fill: a tmpfs of a few MiB. */
export interface SmallDisk {
  /** Where it is mounted. */
  readonly folder: string
  /** Writes until nothing more fits. */
  fill(): void
  /** Takes back what `fill` wrote. */
  free(): void
  unmount(): void
}

const MIB = 1024 * 1024
/** The last piece that `fill` tries to write: less than a page of PostgreSQL, more than nothing. */
const SMALLEST_PIECE_BYTES = 512

/** Mounts it; the answer is the reason where this machine does not let us. */
export function mountSmallDisk(sizeMib: number): SmallDisk | { readonly refused: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-small-disk-'))
  try {
    const options = `size=${sizeMib}m,mode=755`
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    const reason =
      error instanceof Error ? error.message.trim().replaceAll('\n', ' ') : String(error)
    return { refused: `a tmpfs cannot be mounted here (it takes root): ${reason}` }
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a')
      for (let bytes = MIB; bytes >= SMALLEST_PIECE_BYTES;) {
        if (!takes(file, bytes)) bytes /= 2
      }
      closeSync(file)
    },
    free: () => rmSync(filler, { force: true }),
    unmount() {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}

/** Whether the disk had room for so much; part of it may have been written when it had not. */
function takes(file: number, bytes: number): boolean {
  try {
    const written = writeSync(file, Buffer.alloc(bytes))
    fsyncSync(file)
    return written === bytes
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
    throw error
  }
}
