import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const MADE = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const MAKE_MS = 600_000

/** Something that is made of files of the repository and kept outside of them, beside the packages. */
export interface MadeOnce {
  /** Below `node_modules`. */
  readonly name: string
  /** Folder of what it is made of: a change there makes it anew. */
  readonly source: string
  /** Makes it in a folder that does not exist yet; throws an Error that says why it cannot. */
  readonly make: (folder: string) => void
}

/** Where it stands, named by what it is made of; undefined where it has not been made. */
export function madeFolder({ name, source }: MadeOnce): string | undefined {
  const folder = folderOf(name, source)
  return existsSync(folder) ? folder : undefined
}

/**
 * Makes it unless it stands already.
 *
 * @returns Its folder, or why it cannot be made on this machine.
 */
export function makeOnce(made: MadeOnce): { readonly path: string } | { readonly missing: string } {
  const folder = folderOf(made.name, made.source)
  if (existsSync(folder)) return { path: folder }
  const unfinished = `${folder}.${process.pid}`
  try {
    mkdirSync(dirname(folder), { recursive: true })
    made.make(unfinished)
    rmSync(folder, { recursive: true, force: true })
    renameSync(unfinished, folder)
    return { path: folder }
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) }
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Runs a program to its end; throws with the last lines of what it says where that is not a good one. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): void {
  const done = spawnSync(program, args, { ...options, encoding: 'utf8', timeout: MAKE_MS })
  if (done.status === 0) return
  const said = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim()
  const why = done.error?.message ?? said.split('\n').slice(-3).join(' ')
  throw new Error(`${program} ${args.slice(0, 3).join(' ')} failed (${why})`)
}

function folderOf(name: string, source: string): string {
  const hash = createHash('sha256')
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.toSorted())
    hash.update(file.slice(source.length)).update(readFileSync(file))
  return join(MADE, name, hash.digest('hex').slice(0, 16))
}
