import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { installLocked } from '../support/install-locked.ts'
import { takeDocument } from './take-document.ts'

/** `npm run openapi`: starts Tollgate, takes its OpenAPI document, and has Redocly and Spectral look for faults in it. */
const here = import.meta.dirname
installLocked(here)
const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
try {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, await takeDocument())
  const areClean = [
    lint('redocly', ['lint', file, '--config', join(here, 'redocly.yaml')]),
    lint('spectral', [
      'lint',
      file,
      '--ruleset',
      join(here, 'spectral.yaml'),
      '--fail-severity=warn',
    ]),
  ]
  process.exitCode = areClean.every(Boolean) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}

/** Runs one by the Node that runs this; true when it finds nothing. */
function lint(program: string, args: readonly string[]): boolean {
  const path = join(here, 'node_modules/.bin', program)
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
  const { status, error } = spawnSync(process.execPath, [path, ...args], { env, stdio: 'inherit' })
  if (error !== undefined) throw error
  return status === 0
}
