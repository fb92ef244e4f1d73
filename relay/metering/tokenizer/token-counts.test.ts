import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countWithin } from './count-within.ts'
import rows from '@tollgate/tests/support/fixtures/tokenizer/token-counts.json' with { type: 'json' }
import { loadVocabulary, vocabularyOf } from './vocabularies.ts'

test.each([
  ['cl100k_base', 1],
  ['o200k_base', 2],
] as const)(
  'given a thousand texts of many languages, when counted by %s, then as tiktoken counts them',
  async (name, column) => {
    const vocabulary = await loadVocabulary(name)
    const wrong = rows.filter((row) => vocabulary.count(String(row[0])) !== row[column])
    expect(rows).toHaveLength(1_000)
    expect(wrong).toEqual([])
  },
)

test.each([
  ['gpt-4o', 'o200k_base'],
  ['gpt-4o-mini-2024-07-18', 'o200k_base'],
  ['chatgpt-4o-latest', 'o200k_base'],
  ['ft:gpt-4o-mini:acme::id', 'o200k_base'],
  ['openai/gpt-4.1-nano', 'o200k_base'],
  ['gpt-4.5-preview', 'o200k_base'],
  ['gpt-5', 'o200k_base'],
  ['gpt-5.1-codex', 'o200k_base'],
  ['gpt-6-mini', 'o200k_base'],
  ['gpt-10', 'o200k_base'],
  ['gpt-oss-120b', 'o200k_base'],
  ['o1', 'o200k_base'],
  ['o3-mini', 'o200k_base'],
  ['o4-mini-high', 'o200k_base'],
  ['gpt-4', 'cl100k_base'],
  ['gpt-4-turbo', 'cl100k_base'],
  ['gpt-4-0613', 'cl100k_base'],
  ['gpt-4-gizmo-g-o1', 'cl100k_base'],
  ['gpt-3.5-turbo-16k', 'cl100k_base'],
  ['text-embedding-3-small', 'cl100k_base'],
  ['claude-3-5-sonnet-20241022', 'cl100k_base'],
  ['deepseek-chat', 'cl100k_base'],
  ['olmo-2', 'cl100k_base'],
  ['', 'cl100k_base'],
])('given the model %s, when its vocabulary is asked for, then %s', (model, name) => {
  expect(vocabularyOf(model)).toBe(name)
})

test('given any texts, when counted in chunks, then there are as many tokens as in one go', async () => {
  const vocabulary = await loadVocabulary('o200k_base')
  const words = fc.constantFrom(...rows.map((row) => String(row[0])))
  const texts = fc.array(
    fc.array(words, { maxLength: 120 }).map((parts) => parts.join(' ')),
    { maxLength: 4 },
  )
  const count = (text: string): number => vocabulary.count(text)
  fc.assert(
    fc.property(texts, (given) => {
      const whole = given.reduce((sum, text) => sum + count(text), 0)
      const counted = countWithin(given, count, { cpuMs: () => 0, budgetMs: 1 })
      expect(counted.isExact).toBe(true)
      // A chunk that ends within an unbroken run may count a token more.
      expect(counted.tokens - whole).toBeGreaterThanOrEqual(0)
      expect(counted.tokens - whole).toBeLessThanOrEqual(given.length)
    }),
    { numRuns: 30 },
  )
})

test('given a budget that ends early, when counted, then the rest is extrapolated and marked', () => {
  let spentMs = 0
  const text = 'one two three '.repeat(20_000)
  const count = (piece: string): number => {
    spentMs += 1
    return piece.split(' ').length - 1
  }
  const { tokens, isExact } = countWithin([text], count, { cpuMs: () => spentMs, budgetMs: 10 })
  expect(isExact).toBe(false)
  expect(spentMs).toBeLessThanOrEqual(11)
  expect(tokens).toBeGreaterThan(60_000)
  expect(tokens).toBeLessThan(60_000 * 1.15)
})
