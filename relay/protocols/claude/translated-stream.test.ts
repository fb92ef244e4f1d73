import { readdirSync, readFileSync } from 'node:fs'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../json.ts'
import { refusal } from '../../refusal.ts'
import { CHAT } from '../openai/request.ts'
import { ChunkWriter } from '../openai/write-parts.ts'
import { TranslatedEvents } from './event-answers.ts'
import { ClaudeStream } from './stream.ts'
import { readWholeMessage } from './whole-reply.ts'

/** Anthropic's streams as OpenAI's clients see them. */
const FOLDER = new URL('../../../tests/support/fixtures/claude/', import.meta.url)
const recorded = (name: string): Buffer => readFileSync(new URL(`${name}.sse`, FOLDER))
const NAMES = readdirSync(FOLDER).map((file) => file.replace(/\.sse$/, ''))
const CREATED = 1_800_000_000
const USED = {
  ...NO_USAGE,
  textIn: 20,
  cachedIn: 5,
  cacheWriteIn: 3,
  textOut: 40,
  reasoningOut: 12,
}

const newStream = (showsUsage = true): ClaudeStream =>
  new ClaudeStream('upstream-key-1', new TranslatedEvents(new ChunkWriter(CREATED, showsUsage)))

function delivered(pieces: readonly Buffer[]): string {
  const stream = newStream()
  return [...pieces.map((piece) => Buffer.from(stream.push(piece))), stream.end()].join('')
}

const chunksIn = (text: string): readonly JsonObject[] =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event): unknown => JSON.parse(event.slice('data: '.length)))
    .filter(isObject)

describe.each(NAMES)('given the stream %s', (name) => {
  test('when cut at any byte, then the same chunks are made', () => {
    const bytes = recorded(name)
    const whole = delivered([bytes])
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(delivered([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(whole)
    }
  })
})

const choices = (name: string): readonly unknown[] =>
  chunksIn(delivered([recorded(name)])).map((chunk) => chunk['choices'])
const choice = (delta: object, finish: string | null = null): object[] => [
  { index: 0, delta, finish_reason: finish },
]

test('given text, when translated, then role, text and finish are chunks of one answer', () => {
  expect(choices('text-with-cache')).toEqual([
    choice({ role: 'assistant', content: '' }),
    choice({ content: 'Grüezi, ' }),
    choice({ content: '世界 🌍' }),
    choice({}, 'stop'),
  ])
  for (const chunk of chunksIn(delivered([recorded('text-with-cache')]))) {
    expect(chunk).toMatchObject({
      id: 'msg_01',
      object: 'chat.completion.chunk',
      created: CREATED,
      model: 'claude-sonnet-4-5-20250929',
    })
  }
})

const DETAILS = [
  {
    type: 'reasoning.text',
    text: 'Two tools.',
    signature: 'EqoBCkgIAR',
    format: 'anthropic-claude-v1',
    index: 0,
  },
  { type: 'reasoning.encrypted', data: 'EmwKAhgB', format: 'anthropic-claude-v1', index: 1 },
]

test('given thoughts and tools, when translated, then signatures travel along and calls have places', () => {
  const call = (index: number, more: object): object => choice({ tool_calls: [{ index, ...more }] })
  const named = (id: string, name: string): object => ({
    id,
    type: 'function',
    function: { name, arguments: '' },
  })
  expect(choices('thinking-and-tools')).toEqual([
    choice({ role: 'assistant', content: '' }),
    choice({ reasoning_content: 'Two tools.' }),
    choice({ reasoning_details: [DETAILS[0]] }),
    choice({ reasoning_details: [DETAILS[1]] }),
    call(0, named('toolu_1', 'get_weather')),
    call(0, { function: { arguments: '{"city":' } }),
    call(0, { function: { arguments: '"Zürich"}' } }),
    call(1, named('toolu_2', 'get_time')),
    call(1, { function: { arguments: '{}' } }),
    choice({}, 'tool_calls'),
  ])
})

test('given the end, when closed, then usage is told to whom it was asked, and [DONE] to all', () => {
  const stream = newStream()
  stream.push(recorded('thinking-and-tools'))
  const closing = stream.closing(USED).toString()
  expect(chunksIn(closing)).toMatchObject([
    {
      id: 'msg_02',
      choices: [],
      usage: {
        prompt_tokens: 28,
        completion_tokens: 40,
        total_tokens: 68,
        prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 12 },
      },
    },
  ])
  expect(closing.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(newStream(false).closing(USED)).toBe('data: [DONE]\n\n')
})

test('given an error, when it ends the stream, then it is none of the chunks and said as OpenAI says it', () => {
  const stream = newStream()
  expect(stream.push(recorded('overloaded')).toString()).not.toMatch(/Overloaded|never/)
  expect(stream.error).toMatchObject({ type: 'overloaded_error' })
  expect(stream.refused(refusal(529, 'c', 'no'), 'r')).toMatch(/^data: \{"error":\{"message":"no /)
})

const MESSAGE = {
  id: 'msg_1',
  model: 'claude-x',
  content: [
    { type: 'thinking', thinking: 'Two tools.', signature: 'EqoBCkgIAR' },
    { type: 'redacted_thinking', data: 'EmwKAhgB' },
    { type: 'text', text: 'I ' },
    { type: 'text', text: 'look.' },
    { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
    { type: 'tool_use', id: 't2', name: 'now', input: {} },
  ],
  stop_reason: 'tool_use',
  usage: { input_tokens: 20, output_tokens: 4 },
}
const completion = (message: object): unknown => {
  const reply = readWholeMessage(CHAT, Buffer.from(JSON.stringify(message)), CREATED * 1_000)
  if (reply.status !== 'answered') throw new Error(reply.status)
  return JSON.parse(Buffer.from(reply.body ?? []).toString()) as unknown
}

test('given a whole message, when translated, then it is a completion with all of it', () => {
  const call = (id: string, name: string, json: string): object => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  })
  expect(completion(MESSAGE)).toEqual({
    id: 'msg_1',
    object: 'chat.completion',
    created: CREATED,
    model: 'claude-x',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'I look.',
          refusal: null,
          reasoning_content: 'Two tools.',
          reasoning_details: DETAILS,
          tool_calls: [call('t1', 'look', '{"at":1}'), call('t2', 'now', '{}')],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 },
  })
})

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
])('given a message that ended by %s, when translated, then its reason is %s', (reason, said) => {
  expect(completion({ ...MESSAGE, content: [], stop_reason: reason })).toMatchObject({
    choices: [{ message: { content: null }, finish_reason: said }],
  })
})
