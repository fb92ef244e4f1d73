import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'

const KEY_BYTES = 32

/**
 * The key that encrypts secrets at rest: MASTER_KEY where it is set, else `master.key` in the data folder, made at the
 * first start with mode 0600. Losing it makes stored channel and token keys unreadable.
 */
export async function masterKey(given: Buffer | null, dataDir: string): Promise<Buffer> {
  if (given !== null) return given
  const path = join(dataDir, 'master.key')
  const kept = await readKept(path)
  if (kept !== null) return kept
  await mkdir(dataDir, { recursive: true })
  const key = randomBytes(KEY_BYTES)
  // When several first starts coincide, one gives its whole file the name and the others read that.
  const made = `${path}.${process.pid}`
  await writeFile(made, `${key.toString('base64')}\n`, { mode: 0o600 })
  await chmod(made, 0o600)
  try {
    await link(made, path)
    return key
  } catch (error) {
    const others = await readKept(path)
    if (others === null) throw error
    return others
  } finally {
    await unlink(made)
  }
}

/** The key file that a Tollgate made in the data folder; null when there is none. */
export const keptMasterKey = (dataDir: string): Promise<Buffer | null> =>
  readKept(join(dataDir, 'master.key'))

async function readKept(path: string): Promise<Buffer | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES) {
    throw new Error(
      `${path} does not hold 32 bytes in base64. Restore it from a backup, or set MASTER_KEY.`,
    )
  }
  return key
}
