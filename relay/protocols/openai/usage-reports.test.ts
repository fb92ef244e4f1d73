import { expect, test } from 'vitest'
import { UsageReports } from './usage-reports.ts'

const after = (...chunks: readonly object[]) => {
  const reports = new UsageReports()
  for (const chunk of chunks) reports.take({ ...chunk })
  return reports.usage
}
const counts = (prompt: unknown, completion: unknown) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
})

test('given no usage, when read, then there is none', () => {
  expect(after({ choices: [{ delta: {} }] }, { usage: null }, { choices: 'none' })).toBeNull()
})

test('given usage in every chunk, when read, then the last stands', () => {
  expect(after({ usage: counts(9, 1) }, { usage: counts(9, 2) })).toEqual(counts(9, 2))
})

test.each([
  ['zeros', counts(0, 0)],
  ['nothing', {}],
  ['nulls', counts(null, null)],
  ['garbage', counts(-1, '7')],
  ['a fraction', counts(1.5, 1.5)],
])('given a valid usage, when %s follow, then it stands', (_, usage) => {
  expect(after({ usage: counts(9, 4) }, { usage })).toEqual(counts(9, 4))
})

test("given usage in Groq's own member, when read, then it counts, but not over the answer's", () => {
  const beside = { x_groq: { id: 'r', usage: counts(9, 4) } }
  expect(after({ x_groq: { id: 'r' } }, beside)).toEqual(counts(9, 4))
  expect(after({ ...beside, usage: counts(9, 5) })).toEqual(counts(9, 5))
})

test('given a side a chunk, when read, then both stand', () => {
  const first = { ...counts(9, 0), prompt_tokens_details: { cached_tokens: 5 } }
  const last = { ...counts(0, 4), prompt_tokens_details: { cached_tokens: 0, audio_tokens: 2 } }
  expect(after({ usage: first }, { usage: last })).toEqual({
    ...counts(9, 4),
    prompt_tokens_details: { cached_tokens: 5, audio_tokens: 2 },
  })
})

test('given usage in every choice, when read, then completions are summed and the prompt counts once', () => {
  const usage = (completion: number) => ({
    ...counts(9, completion),
    total_tokens: 9 + completion,
    completion_tokens_details: { reasoning_tokens: 1 },
  })
  const expected = {
    ...counts(9, 12),
    total_tokens: 21,
    completion_tokens_details: { reasoning_tokens: 2 },
  }
  const choice = (index: number, completion: number) => ({ index, usage: usage(completion) })
  expect(after({ choices: [choice(0, 5)] }, { choices: [choice(1, 7)] })).toEqual(expected)
  expect(after({ choices: [choice(0, 5), choice(1, 7)] })).toEqual(expected)
  // Running totals of a choice are not added to one another.
  expect(
    after({ choices: [choice(0, 2)] }, { choices: [choice(0, 5)] }, { choices: [choice(1, 7)] }),
  ).toEqual(expected)
})

test('given usage in choices and of the whole, when read, then that of the whole counts', () => {
  expect(after({ choices: [{ usage: counts(9, 5) }], usage: counts(9, 12) })).toEqual(counts(9, 12))
})
