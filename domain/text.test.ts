import { expect, test } from 'vitest'
import { withoutLeading, withoutTrailing } from './text.ts'

test.each([
  ['http://a//', '/', 'http://a'],
  ['http://a', '/', 'http://a'],
  ['///', '/', ''],
  ['', '/', ''],
  ['/a/b/', '/', '/a/b'],
  ['aks-', 'sk-', 'a'],
])('given %j, when %j is taken from its end, then %j', (written, characters, left) => {
  expect(withoutTrailing(written, characters)).toBe(left)
})

test.each([
  ['sk-sk-a-s', 'sk-', 'a-s'],
  ['a', 'sk-', 'a'],
  ['sk-', 'sk-', ''],
  ['', 'sk-', ''],
])('given %j, when %j is taken from its beginning, then %j', (written, characters, left) => {
  expect(withoutLeading(written, characters)).toBe(left)
})

test('given a long run that does not end a text, when taken from its end, then it takes no time', () => {
  const startedMs = performance.now()
  const written = `${'/'.repeat(200_000)}x`
  expect(withoutTrailing(written, '/')).toBe(written)
  expect(performance.now() - startedMs).toBeLessThan(2_000)
})
