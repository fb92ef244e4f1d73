import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const REQUIREMENTS = fileURLToPath(new URL('../conformance/python/requirements', import.meta.url))
const ENVIRONMENTS = fileURLToPath(new URL('../../node_modules/.python', import.meta.url))
/** The current google-genai needs it. */
const OLDEST = { major: 3, minor: 11 }
const INSTALL_MS = 600_000
/** What makes the environment, and what everything in it shares; other files are older versions of a package. */
const INSTALLER = 'uv.txt'
const CURRENT = 'current.txt'

/**
 * An interpreter that has the current `openai`, `anthropic` and `google-genai` and the frameworks of
 * `tests/conformance/python/requirements/current.in`. `npm test` makes it; by hand: `node
 * tests/support/prepare-machine.ts`. Undefined where there is none: tests that need it are skipped by name.
 */
export function pythonPath(): string | undefined {
  const interpreter = interpreterIn(environmentFolder())
  return existsSync(interpreter) ? interpreter : undefined
}

/**
 * Environment variables for that interpreter: compiled modules are kept beside it, since imports cost more than what
 * they are for.
 *
 * @param older Name of a folder of older packages, which go before the current ones where there is such a folder.
 */
export function pythonEnvironment(older = ''): NodeJS.ProcessEnv {
  const folder = environmentFolder()
  const packages = join(folder, older)
  return {
    ...process.env,
    PYTHONPATH: older !== '' && existsSync(packages) ? packages : '',
    PYTHONDONTWRITEBYTECODE: '',
    PYTHONPYCACHEPREFIX: join(folder, 'compiled'),
  }
}

/**
 * Makes that interpreter unless one stands for the same requirements.
 *
 * @returns Its path, or why there is none on this machine.
 */
export function preparePython(): { readonly path: string } | { readonly missing: string } {
  const ready = pythonPath()
  if (ready !== undefined) return { path: ready }
  const base = basePython()
  if (base === undefined)
    return { missing: `no Python of ${OLDEST.major}.${OLDEST.minor} or later is in PATH` }
  const folder = environmentFolder()
  const unfinished = `${folder}.${process.pid}`
  try {
    install(base, unfinished)
    rmSync(folder, { recursive: true, force: true })
    renameSync(unfinished, folder)
    return { path: interpreterIn(folder) }
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) }
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

const interpreterIn = (folder: string): string => join(folder, 'venv/bin/python')

/** Named by what the requirements say, so that changed ones are installed anew. */
function environmentFolder(): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(REQUIREMENTS).toSorted())
    hash.update(name).update(readFileSync(join(REQUIREMENTS, name)))
  return join(ENVIRONMENTS, hash.digest('hex').slice(0, 16))
}

function basePython(): string | undefined {
  const isNewEnough = `import sys; sys.exit(sys.version_info < (${OLDEST.major}, ${OLDEST.minor}))`
  return ['python3', 'python3.13', 'python3.12', 'python3.11'].find(
    (name) => spawnSync(name, ['-c', isNewEnough], { timeout: 30_000 }).status === 0,
  )
}

/** Every package by its hash; uv because it takes a tenth of pip's time and keeps what it fetched. */
function install(base: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true })
  const tools = join(folder, 'tools')
  const hashed = (name: string): string[] => ['--require-hashes', '-r', join(REQUIREMENTS, name)]
  run(base, '-m', 'pip', 'install', '-q', '--no-deps', '--target', tools, ...hashed(INSTALLER))
  const uv = join(tools, 'bin/uv')
  run(uv, 'venv', '-q', '--no-config', '--python', base, join(folder, 'venv'))
  const add = (requirements: string, ...into: readonly string[]): void => {
    const python = ['--python', interpreterIn(folder)]
    run(uv, 'pip', 'install', '-q', '--no-config', ...python, ...into, ...hashed(requirements))
  }
  add(CURRENT)
  for (const name of readdirSync(REQUIREMENTS).filter(isOlder))
    add(name, '--no-deps', '--target', join(folder, name.slice(0, -'.txt'.length)))
  rmSync(tools, { recursive: true })
}

const isOlder = (name: string): boolean =>
  name.endsWith('.txt') && name !== INSTALLER && name !== CURRENT

function run(program: string, ...args: readonly string[]): void {
  const done = spawnSync(program, args, { encoding: 'utf8', timeout: INSTALL_MS })
  if (done.status === 0) return
  const why = done.error?.message ?? done.stderr.trim().split('\n').slice(-3).join(' ')
  throw new Error(`${program} ${args.slice(0, 3).join(' ')} failed (${why})`)
}
