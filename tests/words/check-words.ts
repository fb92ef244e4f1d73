import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { oldWordsIn } from './find-old-words.ts'

/**
 * `npm run words`: fails when a declared name, a path or the opening of a comment has one of the old words of
 * old-words.ts.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILES = '{domain,command-api,projections,relay,console,infra,tests}/**/*.{ts,tsx}'
const LEFT_OUT = /(^|\/)(node_modules|dist|conformance)\/|\.gen\.ts$/u

const files = globSync(FILES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !LEFT_OUT.test(path))
const found = files.flatMap((path) => oldWordsIn(path, readFileSync(join(ROOT, path), 'utf8')))
const lines = found.map(({ path, line, text, use }) => `${path}:${line}: ${text}: use ${use}`)
process.stdout.write(
  lines.length === 0 ? `Words: ${files.length} files\n` : `${lines.join('\n')}\n`,
)
process.exitCode = lines.length === 0 ? 0 : 1
