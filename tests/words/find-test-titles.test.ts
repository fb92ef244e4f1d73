import { expect, test } from 'vitest'
import { longTitlesIn } from './find-test-titles.ts'

const LONG = 'x'.repeat(100)
const SHORT = 'x'.repeat(99)
const linesOf = (source: string): readonly number[] =>
  longTitlesIn('relay/holds/keeper.test.ts', source).map(({ line }) => line)

test.each([
  ['a test', `test('${LONG}', () => {})`],
  ['a string in quotes', `it("${LONG}", () => {})`],
  ['a group with a template literal', `describe(\`${LONG}\`, () => {})`],
  ['a test that is skipped', `test.skipIf(isRoot)('${LONG}', () => {})`],
  ['a table of cases', `test.each([1])('${LONG}', () => {})`],
  ['a tagged table', `describe.each\`a\`('${LONG}', () => {})`],
  ['a sum', `test('${SHORT}' + 'x', () => {})`],
  ['values beside the text', `test(\`\${id}${LONG}\`, () => {})`],
  ['a test inside a group', `describe('short', () => { test('${LONG}', () => {}) })`],
])('given %s, when searched, then its title is too long', (_, source) => {
  expect(linesOf(`\n${source}`)).toEqual([2])
})

test.each([
  ['99 characters', `test('${SHORT}', () => {})`],
  ['99 characters and a value', `test(\`${SHORT}\${channelOfTheRequest}\`, () => {})`],
  ['a case', `test.each(['${LONG}'])('%s', () => {})`],
  ['no test', `expect('${LONG}').toBe(1)`],
  ['a method named test', `pattern.test('${LONG}')`],
])('given %s, when searched, then nothing is too long', (_, source) => {
  expect(linesOf(source)).toEqual([])
})
