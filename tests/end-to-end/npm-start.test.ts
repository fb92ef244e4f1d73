import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { descendantsOf, isAlive, until } from '../support/processes.ts'
import { freePort } from '../support/free-port.ts'

/**
 * Tests of the commands that an operator types, as npm runs them: whatever ends a start or a run, nothing stays behind.
 */
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const START_MS = 60_000

const undo: (() => void)[] = []
afterEach(() => {
  for (const step of undo.splice(0)) step()
})

interface Started {
  readonly npm: ChildProcess
  readonly printed: () => string
  /** Everything that was ever seen below npm. */
  readonly seen: () => readonly number[]
  readonly ended: Promise<unknown>
}

test.each([['start'], ['start:api'], ['start:relay'], ['start:projector'], ['dev'], ['demo']])(
  'given the script %s, when npm runs it, then the shell execs, so that a signal reaches Tollgate',
  (name) => {
    const scripts: Readonly<Record<string, string>> = manifest.scripts
    expect(scripts[name]).toMatch(/^(NODE_COMPILE_CACHE=\S+ )?exec node \S+$/)
  },
)

test('given a Tollgate that runs, when npm gets SIGTERM, then Tollgate and its PostgreSQL end in order', async () => {
  const port = await freePort()
  const { npm, printed, seen, ended } = npmStart(port)
  await until('it is ready', () => printed().includes('Tollgate is ready'), START_MS)
  expect(seen().length).toBeGreaterThan(1)
  npm.kill('SIGTERM')
  await ended
  await until('all have ended', () => !seen().some(isAlive), START_MS)
})

test('given a first start, when Tollgate serves, then compiled modules are kept for the next one', async () => {
  const kept = join(REPOSITORY, 'node_modules/.cache/node')
  rmSync(kept, { recursive: true, force: true })
  const { npm, printed, ended } = npmStart(await freePort())
  await until('it is ready', () => printed().includes('Tollgate is ready'), START_MS)
  const files = (): readonly string[] =>
    existsSync(kept) ? readdirSync(kept, { recursive: true }).map(String) : []
  // Before it ends: a kill loses nothing.
  await until('modules are kept', () => files().length > 100, START_MS)
  npm.kill('SIGTERM')
  await ended
})

test('given a start that is not done yet, when npm gets SIGINT, then it ends without an error', async () => {
  const { npm, printed, seen, ended } = npmStart(await freePort())
  await until('PostgreSQL is starting', () => seen().some(isPostgres), START_MS)
  npm.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  expect(printed()).not.toMatch(/is ready|cannot start|^ {4}at /m)
  await until('all have ended', () => !seen().some(isAlive), START_MS)
})

test('given signals from terminal and npm at once, when Tollgate runs, then it ends once, in order', async () => {
  const { npm, printed, seen, ended } = npmStart(await freePort())
  await until('it is ready', () => printed().includes('Tollgate is ready'), START_MS)
  const [tollgate = 0] = seen()
  process.kill(tollgate, 'SIGINT')
  npm.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  await until('all have ended', () => !seen().some(isAlive), START_MS)
})

test('given a taken port, when started, then it says what to do and leaves no PostgreSQL behind', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  undo.push(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const { printed, seen, ended } = npmStart(port)
  await until('PostgreSQL is starting', () => seen().some(isPostgres), START_MS)
  expect(await ended).toEqual([1, null])
  expect(printed()).toContain(
    `Tollgate cannot start.\nport ${port} on 127.0.0.1 is taken by another program: stop it, or set PORT\n`,
  )
  expect(printed()).not.toMatch(/^ {4}at /m)
  await until('all have ended', () => !seen().some(isAlive), START_MS)
})

const isPostgres = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres')
  } catch {
    // It ended meanwhile.
    return false
  }
}

function npmStart(port: number): Started {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-npm-start-'))
  const npm = spawn('npm', ['start'], {
    cwd: REPOSITORY,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  }
  const below = new Set<number>()
  const look = (): readonly number[] => {
    for (const pid of descendantsOf(npm.pid ?? 0)) below.add(pid)
    return [...below]
  }
  undo.push(() => {
    for (const pid of look()) if (isAlive(pid)) process.kill(pid, 'SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { npm, printed: () => text, seen: look, ended: once(npm, 'exit') }
}
