import {
  completionTokens,
  NO_USAGE,
  promptTokens,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readUsage, sumOf } from './openai-usage.ts'

const usageOf = (...report: Parameters<typeof readUsage>): Usage | null =>
  sumOf(readUsage(...report))

test.each([
  [
    'both lifetimes of cache writes (Anthropic)',
    {
      input_tokens: 20,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 12,
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 7 },
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
    },
    { textIn: 20, cachedIn: 100, cacheWriteIn: 5, cacheWrite1hIn: 7, textOut: 9, reasoningOut: 4 },
  ],
  [
    'cache writes without lifetimes (Anthropic)',
    { input_tokens: 20, cache_creation_input_tokens: 12, cache_read_input_tokens: null },
    { textIn: 20, cacheWriteIn: 12 },
  ],
  [
    'lifetimes beyond what was written (Anthropic)',
    {
      input_tokens: 20,
      cache_creation_input_tokens: 3,
      cache_creation: { ephemeral_1h_input_tokens: 7 },
    },
    { textIn: 20, cacheWrite1hIn: 3 },
  ],
  [
    'lifetimes in OpenAI terms (gateways to Anthropic)',
    {
      prompt_tokens: 132,
      completion_tokens: 9,
      cache_creation_input_tokens: 12,
      cache_creation: { ephemeral_1h_input_tokens: 7 },
      prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 12 },
    },
    { textIn: 20, cachedIn: 100, cacheWriteIn: 5, cacheWrite1hIn: 7, textOut: 9 },
  ],
  [
    'cache writes among the details (Alibaba)',
    {
      prompt_tokens: 132,
      completion_tokens: 9,
      prompt_tokens_details: {
        cached_tokens: 100,
        cache_creation_input_tokens: 12,
        cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 7 },
        cache_type: 'ephemeral',
      },
    },
    { textIn: 20, cachedIn: 100, cacheWriteIn: 5, cacheWrite1hIn: 7, textOut: 9 },
  ],
  [
    'cache writes beside the counts (gateways to Anthropic)',
    {
      prompt_tokens: 132,
      completion_tokens: 9,
      cache_creation_input_tokens: 12,
      prompt_tokens_details: { cached_tokens: 100 },
    },
    { textIn: 20, cachedIn: 100, cacheWriteIn: 12, textOut: 9 },
  ],
  [
    'tools that read, and thoughts (Gemini)',
    {
      promptTokenCount: 50,
      toolUsePromptTokenCount: 30,
      candidatesTokenCount: 8,
      thoughtsTokenCount: 6,
      totalTokenCount: 94,
    },
    { textIn: 80, textOut: 14, reasoningOut: 6 },
  ],
  [
    'modalities (Gemini)',
    {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 30 },
        { modality: 'AUDIO', tokenCount: 50 },
        { modality: 'IMAGE', tokenCount: 20 },
      ],
      cacheTokensDetails: [
        { modality: 'AUDIO', tokenCount: 30 },
        { modality: 'IMAGE', tokenCount: 5 },
      ],
      toolUsePromptTokenCount: 10,
      toolUsePromptTokensDetails: [{ modality: 'IMAGE', tokenCount: 10 }],
      candidatesTokenCount: 25,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 20 }, 'garbage'],
    },
    {
      textIn: 25,
      cachedIn: 5,
      cachedAudioIn: 30,
      cachedImageIn: 5,
      audioIn: 20,
      imageIn: 25,
      textOut: 5,
      imageOut: 20,
    },
  ],
])('given %s, when read, then every token is in its kind', (_, reported, usage) => {
  expect(usageOf(reported, [])).toStrictEqual({ ...NO_USAGE, ...usage })
})

test.each([
  [{ promptTokenCount: '7', candidatesTokenCount: 3 }, null, 3],
  [{ promptTokenCount: 7, toolUsePromptTokenCount: -1, candidatesTokenCount: 3 }, null, 3],
  [{ promptTokenCount: 7, candidatesTokenCount: 3, thoughtsTokenCount: 0.5 }, 7, null],
  [{ input_tokens: 7, cache_read_input_tokens: '9', output_tokens: 3 }, null, 3],
  [{ input_tokens: 7, cache_creation_input_tokens: 2_000_000, output_tokens: 3 }, null, 3],
])(
  'given %o, when read, then the side with garbage counts as unreadable',
  (reported, input, output) => {
    const read = readUsage(reported, [])
    expect(read.isUnreadable).toBe(true)
    expect(read.input?.textIn ?? null).toBe(input)
    expect(read.output?.textOut ?? null).toBe(output)
  },
)

test('given any counts of Anthropic or Gemini, when read, then all of them and no more are in the kinds', () => {
  const count = fc.integer({ min: 0, max: 500_000 })
  fc.assert(
    fc.property(count, count, count, count, count, (input, cached, written, lasting, output) => {
      fc.pre(input + cached + written > 0 && output > 0)
      const anthropic = usageOf(
        {
          input_tokens: input,
          cache_read_input_tokens: cached,
          cache_creation_input_tokens: written,
          cache_creation: { ephemeral_1h_input_tokens: lasting },
          output_tokens: output,
        },
        [],
      )
      const gemini = usageOf(
        {
          promptTokenCount: input,
          toolUsePromptTokenCount: cached + written,
          cachedContentTokenCount: lasting,
          candidatesTokenCount: output,
        },
        [],
      )
      for (const usage of [anthropic, gemini]) {
        if (usage === null) throw new Error('nothing read')
        expect(promptTokens(usage)).toBe(input + cached + written)
        expect(completionTokens(usage)).toBe(output)
        expect(Object.values(usage).every((tokens: number) => tokens >= 0)).toBe(true)
      }
    }),
  )
})
