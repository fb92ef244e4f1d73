import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { oldWordsIn } from './find-old-words.ts'
import { longTitlesIn } from './find-test-titles.ts'

/**
 * `npm run words`: fails when a declared name, a path or the opening of a comment has one of the old words of
 * old-words.ts, and when the title of a test is too long.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILES = '{domain,command-api,projections,relay,console,infra,tests}/**/*.{ts,tsx}'
const WITHOUT_WORDS = /(^|\/)conformance\/|\.gen\.ts$/u

const files = globSync(FILES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }).map(
  (path) => path.replaceAll('\\', '/'),
)
const lines = files.flatMap((path) => {
  const source = readFileSync(join(ROOT, path), 'utf8')
  const words = WITHOUT_WORDS.test(path) ? [] : oldWordsIn(path, source)
  const titles = /\.test\.tsx?$/u.test(path) ? longTitlesIn(path, source) : []
  return [
    ...words.map(({ line, text, use }) => `${path}:${line}: ${text}: use ${use}`),
    ...titles.map(({ line, text }) => `${path}:${line}: ${text.length} characters: ${text}`),
  ]
})
process.stdout.write(
  lines.length === 0 ? `Words: ${files.length} files\n` : `${lines.join('\n')}\n`,
)
process.exitCode = lines.length === 0 ? 0 : 1
