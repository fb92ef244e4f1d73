import { completionTokens, promptTokens, type Usage } from '@tollgate/domain/pricing/usage.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readUsage, sumOf } from './openai-usage.ts'

const usageOf = (...report: Parameters<typeof readUsage>): Usage | null =>
  sumOf(readUsage(...report))

test('given details, when read, then every token is in one kind', () => {
  const usage = usageOf(
    {
      prompt_tokens: 300,
      completion_tokens: 80,
      prompt_tokens_details: { cached_tokens: 100, audio_tokens: 50, image_tokens: 20 },
      completion_tokens_details: { audio_tokens: 30, reasoning_tokens: 40 },
    },
    [],
  )
  expect(usage).toMatchObject({
    textIn: 130,
    cachedIn: 100,
    audioIn: 50,
    imageIn: 20,
    textOut: 50,
    audioOut: 30,
    reasoningOut: 40,
  })
})

test('given DeepSeek, when its cache was hit, then those tokens are cached', () => {
  const reported = { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 8 }
  expect(usageOf(reported, [])).toMatchObject({ textIn: 2, cachedIn: 8 })
})

test('given xAI, when reasoning is left out of completion_tokens, then output is total minus input', () => {
  const reported = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 100 }
  expect(usageOf(reported, ['output-is-total-minus-input'])).toMatchObject({ textOut: 90 })
})

test('given total_tokens alone, when read, then it is input', () => {
  expect(usageOf({ total_tokens: 12 }, [])).toMatchObject({ textIn: 12, textOut: 0 })
})

test.each([
  undefined,
  null,
  'many',
  [],
  {},
  { prompt_tokens: 0, completion_tokens: 0 },
  { prompt_tokens: -5 },
  { prompt_tokens: 1.5 },
  { prompt_tokens: '7' },
  { prompt_tokens: 1e300 },
  { prompt_tokens: Number.NaN, completion_tokens: null },
])('given %o for usage, when read, then it says nothing', (reported) => {
  expect(usageOf(reported, [])).toBeNull()
})

test('given any counts, when read, then kinds are never negative and add up to what was reported', () => {
  const count = fc.integer({ min: 0, max: 1_000_000 })
  fc.assert(
    fc.property(count, count, count, count, count, count, (prompt, completion, ...details) => {
      const [cached, audio, audioOut, reasoning] = details
      const byModality = { audio_tokens: audioOut, image_tokens: reasoning }
      fc.pre(prompt + completion > 0)
      const usage = usageOf(
        {
          prompt_tokens: prompt,
          completion_tokens: completion,
          prompt_tokens_details: {
            cached_tokens: cached,
            audio_tokens: audio,
            cached_tokens_details: byModality,
            cache_write_tokens: audioOut,
            cache_creation: { ephemeral_1h_input_tokens: reasoning },
          },
          completion_tokens_details: { ...byModality, reasoning_tokens: reasoning },
        },
        [],
      )
      if (usage === null) throw new Error('nothing read')
      expect(promptTokens(usage)).toBe(prompt)
      expect(completionTokens(usage)).toBe(completion)
      expect(Object.values(usage).every((tokens) => tokens >= 0)).toBe(true)
      expect(usage.reasoningOut).toBeLessThanOrEqual(usage.textOut)
    }),
  )
})

const counts = { prompt_tokens: 10, completion_tokens: 2 }
test.each([
  [
    'cached_tokens beside the counts (Moonshot)',
    { ...counts, cached_tokens: 8 },
    { textIn: 2, cachedIn: 8, textOut: 2 },
  ],
  [
    'cached_tokens beside empty details',
    { ...counts, cached_tokens: 8, prompt_tokens_details: { cached_tokens: 0 } },
    { textIn: 2, cachedIn: 8 },
  ],
  [
    'cache_write_tokens (OpenRouter)',
    { ...counts, prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 4 } },
    { textIn: 5, cachedIn: 1, cacheWriteIn: 4 },
  ],
  [
    'cache_write_tokens beside the counts',
    { ...counts, cache_write_tokens: 4 },
    { textIn: 6, cacheWriteIn: 4 },
  ],
  [
    'cached tokens by modality (OpenAI realtime)',
    {
      input_tokens: 100,
      output_tokens: 9,
      input_token_details: {
        cached_tokens: 40,
        audio_tokens: 50,
        image_tokens: 20,
        cached_tokens_details: { text_tokens: 5, audio_tokens: 30, image_tokens: 5 },
      },
      output_token_details: { audio_tokens: 4 },
    },
    {
      textIn: 25,
      cachedIn: 5,
      cachedAudioIn: 30,
      cachedImageIn: 5,
      audioIn: 20,
      imageIn: 15,
      textOut: 5,
      audioOut: 4,
    },
  ],
  [
    'cached modalities beyond what is cached',
    {
      ...counts,
      prompt_tokens_details: {
        cached_tokens: 3,
        cached_tokens_details: { audio_tokens: 2, image_tokens: 9 },
      },
    },
    { textIn: 7, cachedIn: 0, cachedAudioIn: 2, cachedImageIn: 1 },
  ],
  [
    'images in the output',
    {
      prompt_tokens: 10,
      completion_tokens: 30,
      completion_tokens_details: { image_tokens: 22, reasoning_tokens: 9 },
    },
    { textIn: 10, textOut: 8, imageOut: 22, reasoningOut: 8 },
  ],
  [
    'reasoning that the total shows outside the completion',
    { ...counts, total_tokens: 42, completion_tokens_details: { reasoning_tokens: 30 } },
    { textIn: 10, textOut: 32, reasoningOut: 30 },
  ],
  [
    'reasoning inside the completion',
    {
      prompt_tokens: 10,
      completion_tokens: 32,
      total_tokens: 42,
      completion_tokens_details: { reasoning_tokens: 30 },
    },
    { textIn: 10, textOut: 32, reasoningOut: 30 },
  ],
])('given %s, when read, then every token is in its kind', (_, reported, usage) => {
  expect(usageOf(reported, [])).toMatchObject(usage)
})

test('given xAI without a total, when reasoning is told apart, then it is added to the output', () => {
  const reported = { ...counts, completion_tokens_details: { reasoning_tokens: 30 } }
  expect(usageOf(reported, ['output-is-total-minus-input'])).toMatchObject({ textOut: 32 })
  expect(usageOf(reported, [])).toMatchObject({ textOut: 2 })
})

test.each([
  [{ completion_tokens: 12 }, null, 12, false],
  [{ prompt_tokens: 12 }, 12, null, false],
  [{ prompt_tokens: -1, completion_tokens: 12 }, null, 12, true],
  [{ prompt_tokens: 12, completion_tokens: '7' }, 12, null, true],
  [{ prompt_tokens: 12, completion_tokens: 1.5 }, 12, null, true],
  [{ prompt_tokens: 2_000_000, completion_tokens: 2_000_001 }, 2_000_000, null, true],
  [{ prompt_tokens: 2_000_001, completion_tokens: 2_000_000 }, null, 2_000_000, true],
  [{ prompt_tokens: 12, completion_tokens: null }, 12, null, false],
  [{ completion_tokens: 12, total_tokens: 30 }, 18, 12, false],
  [{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, null, null, false],
  ['many', null, null, false],
])(
  'given %o, when read, then each side stands for itself',
  (reported, prompt, completion, isUnreadable) => {
    const read = readUsage(reported, [])
    expect(read.isUnreadable).toBe(isUnreadable)
    expect(read.input?.textIn ?? null).toBe(prompt)
    expect(read.output?.textOut ?? null).toBe(completion)
  },
)
