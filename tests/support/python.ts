import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { madeFolder, type MadeOnce, makeOnce, run } from './made-once.ts'

const REQUIREMENTS = fileURLToPath(new URL('../conformance/python/requirements', import.meta.url))
/** The current google-genai needs it. */
const OLDEST = { major: 3, minor: 11 }
/**
 * Requirements of the installer that makes the environment, and those that everything in it shares; the packages of
 * other files lie in folders of their own: older versions of a package, and what reads the OpenAPI document.
 */
const INSTALLER = 'uv.txt'
const CURRENT = 'current.txt'
const ENVIRONMENT: MadeOnce = { name: '.python', source: REQUIREMENTS, make: install }

/**
 * An interpreter that has the current `openai`, `anthropic` and `google-genai` and the frameworks of
 * `tests/conformance/python/requirements/current.in`. `npm test` makes it; by hand: `node
 * tests/support/prepare-machine.ts`. Undefined where there is none: tests that need it are skipped by name.
 */
export function pythonPath(): string | undefined {
  const folder = madeFolder(ENVIRONMENT)
  return folder === undefined ? undefined : interpreterIn(folder)
}

/**
 * Environment variables for that interpreter: compiled modules are kept beside it, since imports cost more than what
 * they are for.
 *
 * @param apart Name of a folder of packages that go before the current ones, where there is such a folder.
 */
export function pythonEnvironment(apart = ''): NodeJS.ProcessEnv {
  const folder = madeFolder(ENVIRONMENT)
  if (folder === undefined) throw new Error('no Python environment has been made')
  const packages = join(folder, apart)
  return {
    ...process.env,
    PYTHONPATH: apart !== '' && existsSync(packages) ? packages : '',
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
  const made = makeOnce(ENVIRONMENT)
  return 'missing' in made ? made : { path: interpreterIn(made.path) }
}

const interpreterIn = (folder: string): string => join(folder, 'venv/bin/python')

function basePython(): string {
  const isNewEnough = `import sys; sys.exit(sys.version_info < (${OLDEST.major}, ${OLDEST.minor}))`
  const found = ['python3', 'python3.13', 'python3.12', 'python3.11'].find(
    (name) => spawnSync(name, ['-c', isNewEnough], { timeout: 30_000 }).status === 0,
  )
  if (found !== undefined) return found
  throw new Error(`no Python of ${OLDEST.major}.${OLDEST.minor} or later is in PATH`)
}

/** Every package by its hash; uv because it takes a tenth of pip's time and keeps what it fetched. */
function install(folder: string): void {
  const base = basePython()
  const tools = join(folder, 'tools')
  const hashed = (name: string): string[] => ['--require-hashes', '-r', join(REQUIREMENTS, name)]
  run(base, ['-m', 'pip', 'install', '-q', '--no-deps', '--target', tools, ...hashed(INSTALLER)])
  const uv = join(tools, 'bin/uv')
  run(uv, ['venv', '-q', '--no-config', '--python', base, join(folder, 'venv')])
  const add = (requirements: string, ...into: readonly string[]): void => {
    const python = ['--python', interpreterIn(folder)]
    run(uv, ['pip', 'install', '-q', '--no-config', ...python, ...into, ...hashed(requirements)])
  }
  add(CURRENT)
  for (const name of readdirSync(REQUIREMENTS).filter(isApart))
    add(name, '--no-deps', '--target', join(folder, name.slice(0, -'.txt'.length)))
  rmSync(tools, { recursive: true })
}

const isApart = (name: string): boolean =>
  name.endsWith('.txt') && name !== INSTALLER && name !== CURRENT
