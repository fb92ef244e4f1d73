import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

/** Modules that start an engine, a process or a thread: what imports one of them is not quick. */
const STARTERS = [
  /^node:(child_process|cluster|worker_threads)$/u,
  /\/engines\/(database|nats-server|eventstoredb-double\/double)\.ts$/u,
  /\/postgres\/embedded\.ts$|^\.\/embedded\.ts$/u,
]

/** Node's permission model, under which quick tests run, refuses to synchronise an open file. */
const DURABLE_FILES = ['infra/spool/spool.test.ts']

/**
 * Test files beside the code that start no engine and no process, neither themselves nor by a fixture, as paths
 * relative to the repository.
 */
export function quickTests(): readonly string[] {
  const verdicts = new Map<string, boolean>()
  return globSync('{domain,command-api,projections,relay,infra,console}/**/*.test.{ts,tsx}', {
    cwd: REPOSITORY,
    exclude: ['**/node_modules/**'],
  }).filter(
    (file) => !DURABLE_FILES.includes(file) && !startsSomething(join(REPOSITORY, file), verdicts),
  )
}

/** Follows imports into tests/ only: production code may bring a starter along that the test never calls. */
function startsSomething(file: string, verdicts: Map<string, boolean>): boolean {
  const known = verdicts.get(file)
  if (known !== undefined) return known
  verdicts.set(file, false)
  const imports = [...readFileSync(file, 'utf8').matchAll(/\bfrom '([^']+)'/gu)]
  const verdict = imports.some(([, name = '']) => {
    if (STARTERS.some((starter) => starter.test(name))) return true
    const fixture = fixtureOf(file, name)
    return fixture !== null && startsSomething(fixture, verdicts)
  })
  verdicts.set(file, verdict)
  return verdict
}

/** Path of an imported module below tests/; null for any other. */
function fixtureOf(importer: string, name: string): string | null {
  const path = name.startsWith('@tollgate/tests/')
    ? join(REPOSITORY, name.slice('@tollgate/'.length))
    : resolve(importer, '..', name)
  const isOutside = relative(join(REPOSITORY, 'tests'), path).startsWith('..')
  return !isOutside && existsSync(path) ? path : null
}
