import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
/** The folders that are done; in the other folders some 880 names are longer (2026-11-25), which are for later. */
const FILES = [
  'domain/**/*.test.ts',
  'command-api/{audit,content,tasks,tokens,wallet}/**/*.test.ts',
]
const NAME_CHARACTERS_MAX = 100
const NAMES = /\b(?:test|it)(?:\.\w+)*\(\s*(?<quote>['"`])(?<name>.*?)(?<!\\)\k<quote>/gsu

test('given the names of tests, when they are read, then each has less than 100 characters', () => {
  const files = FILES.flatMap((pattern) => globSync(pattern, { cwd: REPOSITORY }))
  const names = files.flatMap((file) =>
    [...readFileSync(`${REPOSITORY}/${file}`, 'utf8').matchAll(NAMES)].map(
      ({ groups }) => `${file}: ${groups?.['name']}`,
    ),
  )
  // A pattern that finds no names would find none too long.
  expect(names.length).toBeGreaterThan(200)
  const isLong = (name: string): boolean =>
    name.length - name.indexOf(': ') - 2 >= NAME_CHARACTERS_MAX
  expect(names.filter(isLong)).toEqual([])
})
