import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { BEAN_CHECK, HLEDGER } from './accounting/programs.ts'
import { findChromium, findHeadlessShell } from './browser/chromium.ts'
import { findNatsServer, NATS_SERVER_ADVICE } from './engines/find-nats-server.ts'
import { prepareCompiled } from './go-and-java.ts'
import { installLocked } from './install-locked.ts'
import { preparePython } from './python.ts'

/** A program that the tests need and npm cannot bring. */
interface Program {
  readonly name: string
  /** Name of the package that brings it on Debian. */
  readonly aptPackage: string
  readonly usedBy: string
  readonly find: (env: NodeJS.ProcessEnv) => string | null
  readonly advice: string
}

const PROGRAMS: readonly Program[] = [
  {
    name: 'Chromium',
    aptPackage: 'chromium',
    usedBy: 'Browser tests',
    find: findChromium,
    advice:
      'install Chromium or set CHROMIUM_PATH to a Chromium or Chrome binary, such as CHROMIUM_PATH=/usr/bin/google-chrome',
  },
  {
    name: 'nats-server',
    aptPackage: 'nats-server',
    usedBy: 'Tests of many processes',
    find: findNatsServer,
    advice: NATS_SERVER_ADVICE,
  },
  { ...HLEDGER, usedBy: 'Tests of exported books' },
  { ...BEAN_CHECK, usedBy: 'Tests of exported books' },
]

/**
 * First step of the test command: makes sure that what the tests need and npm cannot bring is on this machine. Never
 * lets tests be skipped in silence: it installs what is missing (root on Debian) or fails.
 */
function prepareMachine(): void {
  for (const program of PROGRAMS) prepare(program)
  prepareHeadlessShell()
  for (const folder of ['../conformance', '../openapi/clients'])
    installLocked(fileURLToPath(new URL(folder, import.meta.url)))
  prepareOtherLanguages()
}

/**
 * Browser tests take two thirds of the processor time in a Chromium without windows. They do without it where it cannot
 * be had, and where CHROMIUM_PATH names another.
 */
function prepareHeadlessShell(): void {
  if (process.env['CHROMIUM_PATH']) return
  let found = findHeadlessShell(process.env)
  if (found === null && canInstall()) {
    say('No Chromium without windows found: installing it with apt-get …')
    const isInstalled = ['update', 'install -y --no-install-recommends chromium-headless-shell']
      .map((command) => [...SHORT_OF_PATIENCE, '-qq', ...command.split(' ')])
      .every((args) => runApt(args).status === 0)
    if (isInstalled) found = findHeadlessShell(process.env)
  }
  if (found === null) say('Browser tests are slower: no chromium-headless-shell on PATH')
  else say(`Browser tests share ${found}`)
}

/** A browser that only spares time is not worth waiting for a slow mirror. */
const SHORT_OF_PATIENCE = ['-o', 'Acquire::http::Timeout=10', '-o', 'Acquire::Retries=0'] as const

/** Clients in other languages are skipped, by name, where the language or its packages cannot be had. */
function prepareOtherLanguages(): void {
  const languages = {
    Python: preparePython,
    Go: () => prepareCompiled('Go'),
    Java: () => prepareCompiled('Java'),
  }
  for (const [language, prepareClientsOf] of Object.entries(languages)) {
    const started = performance.now()
    const made = prepareClientsOf()
    const seconds = Math.round((performance.now() - started) / 1000)
    const since = seconds > 0 ? ` (made in ${seconds} s)` : ''
    if ('missing' in made) say(`Tests of clients in ${language} are skipped: ${made.missing}`)
    else say(`Clients in ${language} use ${made.path}${since}`)
  }
}

function prepare(program: Program): void {
  const found = program.find(process.env) ?? install(program)
  const version = spawnSync(found, ['--version'], { encoding: 'utf8', timeout: 30_000 })
  if (version.status !== 0) {
    const why = version.error?.message ?? version.stderr.trim()
    throw new Error(`${found} does not run (${why}); ${program.advice}`)
  }
  say(`${program.usedBy} use ${version.stdout.trim()} (${found})`)
}

function install(program: Program): string {
  const { name, aptPackage, advice } = program
  if (!canInstall()) throw new Error(`No ${name} found for the tests: ${advice}`)
  say(`No ${name} found: installing it with apt-get …`)
  apt(advice, 'update', '-qq')
  apt(advice, 'install', '-y', '-qq', '--no-install-recommends', aptPackage)
  const installed = program.find(process.env)
  if (installed === null) throw new Error(`apt-get installed no ${name}: ${advice}`)
  return installed
}

/** Root on Debian. */
const canInstall = (): boolean =>
  process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0

function apt(advice: string, ...args: string[]): void {
  const done = runApt(args)
  if (done.status !== 0) {
    const why = done.error?.message ?? done.stderr.trim().split('\n').slice(-3).join(' ')
    throw new Error(`apt-get ${args[0]} failed (${why}): ${advice}`)
  }
}

const runApt = (args: readonly string[]) =>
  spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    // A package mirror that hangs must not hang the tests for ever.
    timeout: 600_000,
  })

const say = (line: string): void => void process.stdout.write(`${line}\n`)

try {
  prepareMachine()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
