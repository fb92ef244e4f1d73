import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repeatedKeys, unequalTexts, unusedKeys } from './i18n-rules.ts'

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
  const pathsOf = (language: string): string[] =>
    globSync(`src/locales/${language}/*.json`, { cwd: FOLDER })
  const text = (path: string): string => readFileSync(join(FOLDER, path), 'utf8')
  const read = (language: string): object =>
    Object.assign({}, ...pathsOf(language).map((path) => JSON.parse(text(path)) as object))
  const repeated = [...pathsOf('zh'), ...pathsOf('en')].flatMap((path) =>
    repeatedKeys(text(path)).map((problem) => `${path}: ${problem}`),
  )
  const zh = read('zh')
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: FOLDER })
    .filter((path) => !/\.test\.tsx?$|\.gen\.ts$/.test(path))
    .map((path) => readFileSync(join(FOLDER, path), 'utf8'))
  return [...repeated, ...unequalTexts(zh, read('en')), ...unusedKeys(zh, sources)]
}
