import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { expect, test } from 'vitest'
import { sumOf } from '../../metering/openai-usage.ts'
import { isUnbilledRefusal, readClaudeUsage } from './usage.ts'

/** The iterations of a request: `apart` beside the counts of the whole, which are those of the messages. */
const reported = (...apart: readonly object[]): Parameters<typeof readClaudeUsage>[0] => ({
  input_tokens: 23_000,
  output_tokens: 1_000,
  iterations: [
    { type: 'message', input_tokens: 3_000, output_tokens: 400 },
    ...apart,
    { type: 'message', input_tokens: 20_000, output_tokens: 600 },
  ],
})

test('given a conversation that was compacted, when read, then its summary is billed, too', () => {
  const summary = { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 }
  expect(sumOf(readClaudeUsage(reported(summary)))).toStrictEqual({
    ...NO_USAGE,
    textIn: 203_000,
    textOut: 4_500,
  })
})

test('given iterations that read and write a cache, when read, then each token is in its kind', () => {
  const summary = {
    type: 'compaction',
    input_tokens: 5,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    output_tokens: 7,
  }
  const advice = { ...summary, type: 'advisor_message', cache_creation: null }
  const report = {
    ...reported(summary, advice),
    cache_read_input_tokens: 1,
    cache_creation_input_tokens: 4,
    cache_creation: { ephemeral_1h_input_tokens: 4 },
  }
  expect(sumOf(readClaudeUsage(report))).toStrictEqual({
    ...NO_USAGE,
    textIn: 23_010,
    cachedIn: 201,
    cacheWriteIn: 40,
    cacheWrite1hIn: 24,
    textOut: 1_014,
  })
})

test.each([
  ['messages alone', reported()],
  ['what it does not know', reported({ type: 'other', input_tokens: 9 }, {})],
  ['none', { ...reported(), iterations: [] }],
  ['garbage', { ...reported(), iterations: ['x', { type: 'compaction', input_tokens: '9' }, 7] }],
  ['nothing', { ...reported(), iterations: null }],
])('given %s among the iterations, when read, then the counts of the whole stand', (_, report) => {
  expect(sumOf(readClaudeUsage(report))).toStrictEqual({
    ...NO_USAGE,
    textIn: 23_000,
    textOut: 1_000,
  })
})

test('given a whole that cannot be read, when an iteration can, then the side stays unreadable', () => {
  const read = readClaudeUsage({
    ...reported({ type: 'compaction', input_tokens: 5, output_tokens: 6 }),
    input_tokens: 'many',
  })
  expect(read).toMatchObject({ input: null, output: { textOut: 1_006 }, isUnreadable: true })
})

/** A turn that `claude-fable-5` declined when it had written so much, and another model answered with a tool. */
const fallenBack = (written: number): Parameters<typeof readClaudeUsage>[0] => ({
  input_tokens: 900,
  output_tokens: 264,
  cache_read_input_tokens: 0,
  iterations: [
    {
      type: 'message',
      model: 'claude-fable-5',
      input_tokens: 408,
      cache_read_input_tokens: 5_000,
      output_tokens: written,
    },
    { type: 'message', model: 'claude-opus-4-8', input_tokens: 412, output_tokens: 64 },
    { type: 'fallback_message', model: 'claude-opus-4-8', input_tokens: 488, output_tokens: 200 },
  ],
})

test('given a model that declined amid its answer, when read, then what it read and wrote is billed, too', () => {
  expect(sumOf(readClaudeUsage(fallenBack(299)))).toStrictEqual({
    ...NO_USAGE,
    textIn: 1_308,
    cachedIn: 5_000,
    textOut: 563,
  })
})

test('given a model that declined before it wrote, when read, then only the one that answered is billed', () => {
  expect(sumOf(readClaudeUsage(fallenBack(0)))).toStrictEqual({
    ...NO_USAGE,
    textIn: 900,
    textOut: 264,
  })
})

test.each([
  ['cyber', true],
  ['general_harms', true],
  [null, true],
  ['one of tomorrow', true],
  ['bio', false],
  ['frontier_llm', false],
  ['reasoning_extraction', false],
])(
  'given a refusal of category %s before any output, when read, then unbilled is %s',
  (...given) => {
    const [category, isUnbilled] = given
    const stop_details = { type: 'refusal', category, explanation: null }
    expect(isUnbilledRefusal({ stop_reason: 'refusal', stop_details })).toBe(isUnbilled)
    expect(isUnbilledRefusal({ stop_reason: 'end_turn', stop_details })).toBe(false)
  },
)

test('given a refusal that is not billed, when models before it wrote, then only those are billed', () => {
  expect(sumOf(readClaudeUsage(fallenBack(0), true))).toBeNull()
  expect(sumOf(readClaudeUsage(fallenBack(299), true))).toStrictEqual({
    ...NO_USAGE,
    textIn: 408,
    cachedIn: 5_000,
    textOut: 299,
  })
})
