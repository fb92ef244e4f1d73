import { describe, expect, test } from 'vitest'
import { ChoicesOutput } from './choices-output.ts'

/** The counts of one message of an answer. */
function counted(message: object): { text: string; beside: number; audioBytes: number } {
  const output = new ChoicesOutput()
  output.take([{ message }])
  return {
    text: output.text(),
    beside: output.tokensBesideText,
    audioBytes: output.audioBytes,
  }
}

describe('everything delivered counts', () => {
  test.each([
    ['content', { content: 'Hi' }, { text: 'Hi' }],
    [
      'parts',
      {
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'refusal', refusal: 'No' },
        ],
      },
      { text: 'HiNo' },
    ],
    [
      "Mistral's thinking",
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'Hi' },
        ],
      },
      { text: 'HmHi' },
    ],
    [
      'an image among the parts',
      { content: [{ type: 'image_url', image_url: { url: 'data:' } }] },
      { beside: 1_290 },
    ],
    [
      "OpenRouter's images",
      { content: '', images: [{ type: 'image_url', image_url: { url: 'data:' } }] },
      { beside: 1_290 },
    ],
    [
      'audio and its transcript',
      { content: null, audio: { id: 'a', data: 'AAAA'.repeat(800), transcript: 'Hi' } },
      { text: 'Hi', audioBytes: 2_400 },
    ],
    [
      'a custom tool',
      { tool_calls: [{ type: 'custom', custom: { name: 'sql', input: 'select 1' } }] },
      { text: 'sqlselect 1', beside: 7 },
    ],
    [
      'a function',
      { tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { text: 'f{}', beside: 7 },
    ],
    [
      'reasoning in details',
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm' },
          { type: 'reasoning.summary', summary: 'So' },
        ],
      },
      { text: 'HmSo' },
    ],
    [
      'reasoning as text and in details',
      { reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] },
      { text: 'Hm' },
    ],
    [
      'encrypted reasoning',
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x'.repeat(400) }] },
      { beside: 100 },
    ],
    [
      'a kind that is new',
      { role: 'assistant', poem: { type: 'verse', lines: ['Hi', 'ho'] } },
      { text: 'Hiho' },
    ],
    [
      'nothing',
      { role: 'assistant', content: '', annotations: [{ url: 'https://example.com' }] },
      { text: '' },
    ],
  ] as const)('given %s, when taken, then it is counted once', (_what, message, expected) => {
    expect(counted(message)).toEqual({ text: '', beside: 0, audioBytes: 0, ...expected })
  })
})

test('given undelivered last pieces, when those are dropped, then none of their kinds counts', () => {
  const output = new ChoicesOutput()
  output.take([{ delta: { content: 'Hi', audio: { data: 'AAAA' } } }])
  output.markDelivered()
  const { roughTokens } = output
  output.take([{ delta: { content: ' there', audio: { data: 'AAAA' }, images: [{}] } }])
  output.dropUndelivered()
  expect(output.text()).toBe('Hi')
  expect(output).toMatchObject({ audioBytes: 3, tokensBesideText: 0, roughTokens })
})
