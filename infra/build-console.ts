import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const CONSOLE_FOLDER = fileURLToPath(new URL('../console/', import.meta.url))
const STAMP = join(CONSOLE_FOLDER, 'dist', '.stamp')

/** Files on which the built ones depend, relative to console/. */
const SOURCES = [
  'src',
  'public',
  'index.html',
  'vite.config.ts',
  'dev/chunks.ts',
  'dev/first-look.ts',
  'dev/global-styles.tsx',
  'dev/page-list.ts',
  'dev/precompressed.ts',
  'dev/styles-of-page.ts',
  'dev/token-names.ts',
  'package.json',
  '../package-lock.json',
]

/** How long a build may take: seconds on a fast machine, a few minutes on a small busy one. */
const BUILD_TIMEOUT_MS = 10 * 60_000

/** The console could not be built; the message says what to do, `output` is what the builder said. */
export class ConsoleBuildFailed extends Error {
  readonly code = 'console-build-failed'
  readonly retryable = false
  readonly output: string

  constructor(message: string, output: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ConsoleBuildFailed'
    this.output = output
  }
}

/** Whether a build was needed, and the folder that the server serves. */
export interface ConsoleBuild {
  readonly folder: string
  readonly isFresh: boolean
  readonly elapsedMs: number
}

/**
 * Builds the console into console/dist when its sources differ from those of the last build (a SHA-256 over them is
 * kept beside the files); otherwise only reads and compares. Throws ConsoleBuildFailed.
 */
export async function buildConsole(): Promise<ConsoleBuild> {
  const startedAt = performance.now()
  const hash = await sourcesHash()
  const folder = join(CONSOLE_FOLDER, 'dist')
  const elapsedMs = () => Math.round(performance.now() - startedAt)
  if ((await storedHash()) === hash) return { folder, isFresh: false, elapsedMs: elapsedMs() }
  await runVite()
  await writeFile(STAMP, hash)
  return { folder, isFresh: true, elapsedMs: elapsedMs() }
}

async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256')
  for (const path of await sourceFiles()) {
    hash.update(relative(CONSOLE_FOLDER, path)).update('\0')
    hash.update(await readFile(path)).update('\0')
  }
  return hash.digest('hex')
}

async function sourceFiles(): Promise<string[]> {
  const found: string[] = []
  for (const source of SOURCES) {
    const path = join(CONSOLE_FOLDER, source)
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => null)
    if (!entries) found.push(path)
    else
      for (const entry of entries)
        if (entry.isFile()) found.push(join(entry.parentPath, entry.name))
  }
  // Tests and the generated route tree do not reach the browser; the latter is rewritten by every build.
  return found.filter((path) => !/\.test\.tsx?$|\.gen\.ts$/.test(path)).toSorted()
}

async function storedHash(): Promise<string> {
  return readFile(STAMP, 'utf8').catch(() => '')
}

async function runVite(): Promise<void> {
  const child = spawn(process.execPath, [viteProgram(), 'build', '--logLevel', 'warn'], {
    cwd: CONSOLE_FOLDER,
    // A test run's own would have React in its version for development, twice the size.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BUILD_TIMEOUT_MS,
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0)
    throw new ConsoleBuildFailed(
      'The console could not be built. Run "npm run build -w console" to see why.',
      output,
    )
}

function viteProgram(): string {
  try {
    const manifest = createRequire(join(CONSOLE_FOLDER, 'package.json')).resolve(
      'vite/package.json',
    )
    return join(dirname(manifest), 'bin', 'vite.js')
  } catch (cause) {
    throw new ConsoleBuildFailed(
      'The console is not built and its builder (vite) is not installed. Run "npm ci" without leaving out development dependencies.',
      '',
      cause,
    )
  }
}

if (import.meta.main) {
  try {
    const build = await buildConsole()
    const what = build.isFresh ? 'built' : 'up to date'
    process.stdout.write(
      `Console ${what} in console/dist (${(build.elapsedMs / 1000).toFixed(1)} s)\n`,
    )
  } catch (error) {
    if (!(error instanceof ConsoleBuildFailed)) throw error
    process.stderr.write(`${error.output}${error.message}\n`)
    process.exitCode = 1
  }
}
