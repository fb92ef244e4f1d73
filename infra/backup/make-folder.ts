import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, as far as they are missing. Node's own way (`recursive`) never comes back where a
 * folder says that nothing can be made in it by saying that it is not there, as /proc does.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await makeOne(path, mode)
  } catch (error) {
    if (!isCode(error, 'ENOENT') || dirname(path) === path) throw error
    await makeFolder(dirname(path), mode)
    await makeOne(path, mode)
  }
}

async function makeOne(path: string, mode: number | undefined): Promise<void> {
  await mkdir(path, mode === undefined ? {} : { mode }).catch((error: unknown) => {
    if (!isCode(error, 'EEXIST')) throw error
  })
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
