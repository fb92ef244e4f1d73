import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-imports-'))
  write('package.json', '{"type": "module"}')
  write('data.json', '["data"]')
  write('required.cjs', 'module.exports = require("./data.json")[0]')
  write('here.ts', 'export const place: string = "here"')
  write('there.ts', 'export const place: string = "there"')
  write(
    'main.ts',
    `import { place } from './here.ts'
     import required from './required.cjs'
     import { sep } from 'node:path'
     process.stdout.write([place, required, sep].join(' '))`,
  )
})
afterEach(() => rmSync(folder, { recursive: true }))

test('given a process that has run, when it runs again, then it has the same modules', () => {
  expect([run(), run()]).toEqual(['here data /', 'here data /'])
})

test('given where imports led, when the process runs again, then it does not look for them', () => {
  run()
  const remembered = readFileSync(join(folder, 'imports.json'), 'utf8')
  write('imports.json', remembered.replace('/here.ts","format', '/there.ts","format'))
  expect(run()).toBe('there data /')
})

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

const run = (): string => {
  const preloaded = new URL('remembered-modules.ts', import.meta.url).href
  const args = ['--import', preloaded, join(folder, 'main.ts')]
  const env = { ...process.env, TOLLGATE_TEST_MODULES: join(folder, 'imports.json') }
  return execFileSync(process.execPath, args, { env, encoding: 'utf8' })
}
