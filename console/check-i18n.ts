import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unusedKeys, unequalTexts } from './i18n-rules.ts'

/**
 * Fails when the two languages differ in keys or placeholders, or when a text is used nowhere. That every used key
 * exists is the type checker's work; literal text in JSX is found by oxlint (react/jsx-no-literals).
 */
const FOLDER = dirname(fileURLToPath(import.meta.url))

const problems = textProblems()
process.stdout.write(
  problems.length === 0 ? 'Texts: both languages are complete\n' : `${problems.join('\n')}\n`,
)
process.exitCode = problems.length === 0 ? 0 : 1

function textProblems(): string[] {
  const file = (path: string): object =>
    JSON.parse(readFileSync(join(FOLDER, path), 'utf8')) as object
  const read = (language: string): object =>
    Object.assign({}, ...globSync(`src/locales/${language}/*.json`, { cwd: FOLDER }).map(file))
  const zh = read('zh')
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: FOLDER })
    .filter((path) => !/\.test\.tsx?$|\.gen\.ts$/.test(path))
    .map((path) => readFileSync(join(FOLDER, path), 'utf8'))
  return [...unequalTexts(zh, read('en')), ...unusedKeys(zh, sources)]
}
