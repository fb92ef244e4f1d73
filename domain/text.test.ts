import { expect, test } from 'vitest'
import { foreignText, withoutLeading, withoutTrailing } from './text.ts'

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

test.each([
  ['plain\ttext\nof two lines', 100, 'plain\ttext\nof two lines'],
  ['a\u0000b\u001b[2Jc\u0085d\r', 100, 'ab[2Jcd'],
  ['half \ud83d of one', 100, 'half \ufffd of one'],
  ['12345😀', 6, '12345'],
  ['12345😀', 7, '12345😀'],
  ['xxxxx', 3, 'xxx'],
])('given %j, when it is made fit for an event of %d characters, then %j', (written, most, fit) => {
  expect(foreignText(written, most)).toBe(fit)
})
