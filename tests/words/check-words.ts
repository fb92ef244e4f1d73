import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { judge, keepNeeded, readExceptions } from './exceptions.ts'
import { oldWordsIn } from './find-old-words.ts'

/**
 * `npm run words`: fails when a declared name, a path or the opening of a comment has one of the old words of
 * old-words.ts, unless exceptions.json lists it, and when that list has something that is not needed any more. With
 * `--prune` it takes that out of the list instead; nothing adds to it.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILES = '{domain,command-api,projections,relay,console,infra,tests}/**/*.{ts,tsx}'
const LEFT_OUT = /(^|\/)(node_modules|dist|conformance)\/|\.gen\.ts$/u

const files = globSync(FILES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !LEFT_OUT.test(path))
const found = files.flatMap((path) => oldWordsIn(path, readFileSync(join(ROOT, path), 'utf8')))
if (process.argv.includes('--prune')) keepNeeded(found)
const { forbidden, unneeded } = judge(found, readExceptions())
const lines = [
  ...forbidden.map(({ path, line, text, use }) => `${path}:${line}: ${text}: use ${use}`),
  ...unneeded.map(
    (one) => `tests/words/exceptions.json: nothing needs ${one}: npm run words -- --prune`,
  ),
]
process.stdout.write(
  lines.length === 0
    ? `Words: ${files.length} files, ${found.length} exceptions left\n`
    : `${lines.join('\n')}\n`,
)
process.exitCode = lines.length === 0 ? 0 : 1
