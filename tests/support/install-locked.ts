import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import process from 'node:process'

/**
 * Brings the packages of a folder whose lock file is its own, so that those who only start Tollgate do not install
 * them. Does nothing while those of the present lock file are there; throws with what npm says.
 */
export function installLocked(folder: string): void {
  const locked = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const installed = join(folder, 'node_modules/.installed-lock.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === locked) return
  const name = relative(dirname(import.meta.dirname), folder)
  process.stdout.write(`Installing the packages of tests/${name} …\n`)
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
  const done = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: 600_000 })
  if (done.status !== 0) {
    const why = done.error?.message ?? done.stderr.trim().split('\n').slice(-3).join(' ')
    throw new Error(`npm ci in tests/${name} failed (${why}); run it by hand to see more`)
  }
  writeFileSync(installed, locked)
}
