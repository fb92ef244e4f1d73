import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { findChromium } from './chromium.ts'

/**
 * First step of the test command: makes sure that what the tests need and npm cannot bring is on this machine, which
 * is Chromium alone. Never lets tests be skipped in silence: it installs what is missing (root on Debian) or fails.
 */
function prepareMachine(): void {
  const found = findChromium(process.env) ?? installChromium()
  const version = spawnSync(found, ['--version'], { encoding: 'utf8', timeout: 30_000 })
  if (version.status !== 0) {
    throw new Error(
      `${found} does not run (${version.error?.message ?? version.stderr.trim()}); ${ADVICE}`,
    )
  }
  say(`Browser tests use ${version.stdout.trim()} (${found})`)
}

const ADVICE =
  'install Chromium or set CHROMIUM_PATH to a Chromium or Chrome binary, such as CHROMIUM_PATH=/usr/bin/google-chrome'

function installChromium(): string {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !hasApt()) throw new Error(`No Chromium found for the browser tests: ${ADVICE}`)
  say('No Chromium found: installing it with apt-get …')
  apt('update', '-qq')
  apt('install', '-y', '-qq', '--no-install-recommends', 'chromium')
  const installed = findChromium(process.env)
  if (installed === null) throw new Error(`apt-get installed no Chromium: ${ADVICE}`)
  return installed
}

const hasApt = (): boolean => spawnSync('apt-get', ['--version']).status === 0

function apt(...args: string[]): void {
  const done = spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    // A package mirror that hangs must not hang the tests for ever.
    timeout: 600_000,
  })
  if (done.status !== 0) {
    const why = done.error?.message ?? done.stderr.trim().split('\n').slice(-3).join(' ')
    throw new Error(`apt-get ${args[0]} failed (${why}): ${ADVICE}`)
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

try {
  prepareMachine()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
