import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemsIn, type Requirement, requirementsSchema, tableOf } from './table.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const read = (path: string): string | null => (existsSync(join(root, path)) ? textOf(path) : null)
const requirements = requirementsSchema.parse(JSON.parse(textOf('tests/seeds/requirements.json')))

test('given the requirements, when their tests are looked for, then each is one title of one file', () => {
  expect(problemsIn(requirements, read)).toEqual([])
})

test('given the table in the README, when it is written anew by npm run seeds, then it says the same', () => {
  expect(textOf('tests/seeds/README.md')).toBe(tableOf(requirements))
})

const ROW = { no: 1, screen: '/login', sentence: 'It asks a|b.' }
const PROVEN: Requirement = { ...ROW, test: 'a.test.ts', name: 'given a, when b' }

test.each([
  [null, ['1: there is no a.test.ts']],
  ["test('given b', () => {", ['1: 0 titles in a.test.ts begin with “given a, when b”']],
  ['// given a, when b, then c', ['1: 0 titles in a.test.ts begin with “given a, when b”']],
  ["test('given a, when b, then c', () => {", []],
  [
    "test('given a, when b, then c', () => {})\ntest(`given a, when b, then d`, () => {})",
    ['1: 2 titles in a.test.ts begin with “given a, when b”'],
  ],
])('given the test file %j, when the title is looked for, then %j', (text, problems) => {
  expect(problemsIn([PROVEN], () => text)).toEqual(problems)
})

test('given a number that comes twice, when looked at, then it is named', () => {
  expect(
    problemsIn([PROVEN, { ...ROW, test: null, gap: 'all' }], () => "'given a, when b'"),
  ).toEqual(['1: comes twice'])
})

test('given one that is proven and one that is not, when written, then what lacks comes first', () => {
  const lines = tableOf([PROVEN, { ...ROW, no: 2, test: null, gap: 'all of it' }]).split('\n')
  const at = (line: string) => lines.indexOf(line)
  const lacking = at(String.raw`| 2 | ${'`/login`'} | It asks a\|b. | all of it |`)
  expect(lacking).toBeGreaterThan(at('## Not proven (1)'))
  expect(
    at(String.raw`| 1 | It asks a\|b. | [a.test.ts](../../a.test.ts): given a, when b… |`),
  ).toBeGreaterThan(lacking)
})
