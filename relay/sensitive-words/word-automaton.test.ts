import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WordAutomaton } from './word-automaton.ts'

test.each([
  [['he', 'she', 'his', 'hers'], 'ushers', true],
  [['he', 'she', 'his', 'hers'], 'hxixs', false],
  [['abcd', 'bc'], 'xabcx', true],
  [['敏感词'], '这是敏感词。', true],
  [['bad'], 'bad\u0301', true],
  [['🚀'], 'a🚀b', true],
  [['', 'x'], 'abc', false],
  [[], 'anything', false],
])('given the words %o, when %o is searched, then %o', (words, text, isIn) => {
  expect(new WordAutomaton(words).isIn(text)).toBe(isIn)
})

test('given any words and text, when searched, then as by searching for each word', () => {
  // Few characters, so that words overlap and fall back into one another.
  const some = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '字'), maxLength: 6 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '字', ' '), maxLength: 60 })
  fc.assert(
    fc.property(fc.array(some, { maxLength: 12 }), text, (words, given) => {
      const expected = words.some((word) => word !== '' && given.includes(word))
      expect(new WordAutomaton(words).isIn(given)).toBe(expected)
    }),
    { numRuns: 2_000 },
  )
})
