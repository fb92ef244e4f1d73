import { readdirSync, readFileSync } from 'node:fs'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../json.ts'
import { refusal } from '../../refusal.ts'
import { MESSAGES } from '../claude/request.ts'
import { EventWriter } from '../claude/write-parts.ts'
import { chunkRewriter } from './chunk-rewriter.ts'
import { OpenAiStream } from './stream.ts'
import { TranslatedChunks } from './translated-chunks.ts'
import { readWholeReply } from './whole-reply.ts'

/** OpenAI's streams as Anthropic's clients see them. */
const FOLDER = new URL('../../../tests/support/fixtures/openai/', import.meta.url)
const recorded = (name: string): Buffer => readFileSync(new URL(`${name}.sse`, FOLDER))
const NAMES = readdirSync(FOLDER).map((file) => file.replace(/\.sse$/, ''))
const USED = { ...NO_USAGE, textIn: 20, cachedIn: 5, cacheWriteIn: 3, textOut: 40 }

const newStream = (thinkingToContent = false): OpenAiStream =>
  new OpenAiStream({
    showUsage: true,
    object: 'chat.completion.chunk',
    rewrite: chunkRewriter({ forceFormat: false, thinkingToContent }),
    answer: new TranslatedChunks(new EventWriter(7), 0),
    quirks: [],
    key: '',
  })

function delivered(pieces: readonly Buffer[]): string {
  const stream = newStream()
  const texts = pieces.map((piece) => stream.push(piece).toString())
  return [...texts, stream.end().toString(), stream.closing(USED, false)].join('')
}

const eventsIn = (text: string): readonly JsonObject[] =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [name = '', data = ''] = event.split('\n')
      const read: unknown = JSON.parse(data.slice('data: '.length))
      expect(isObject(read) && `event: ${String(read['type'])}`).toBe(name)
      return isObject(read) ? read : {}
    })

describe.each(NAMES)('given the stream %s', (name) => {
  test('when cut at any byte, then the same events are made, and each block ends', () => {
    const bytes = recorded(name)
    const whole = delivered([bytes])
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(delivered([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(whole)
    }
    const types = eventsIn(whole).map(({ type }) => type)
    const countOf = (type: string): number => types.filter((one) => one === type).length
    expect(countOf('content_block_stop')).toBe(countOf('content_block_start'))
    expect(types.slice(-2)).toEqual(['message_delta', 'message_stop'])
  })
})

const block = (index: number, content: object, ...deltas: readonly object[]): object[] => [
  { type: 'content_block_start', index, content_block: content },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
]
const stop = (index: number): object => ({ type: 'content_block_stop', index })
const end = (reason: string): object[] => [
  {
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: {
      input_tokens: 20,
      cache_creation_input_tokens: 3,
      cache_read_input_tokens: 5,
      output_tokens: 40,
    },
  },
  { type: 'message_stop' },
]
const EMPTY_TEXT = { type: 'text', text: '' }

test('given text, when translated, then a message begins with an estimate and ends with the counts', () => {
  const [begin, ...rest] = eventsIn(delivered([recorded('text-completion')]))
  expect(begin).toMatchObject({ type: 'message_start' })
  expect(rest.at(-1)).toEqual({ type: 'message_stop' })
  const events = eventsIn(delivered([recorded('reasoning')]))
  expect(events[0]).toMatchObject({
    type: 'message_start',
    message: {
      type: 'message',
      role: 'assistant',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 7, output_tokens: 0 },
    },
  })
  const text = (written: string): object => ({ type: 'text_delta', text: written })
  const thought = (written: string): object => ({ type: 'thinking_delta', thinking: written })
  expect(events.slice(1)).toEqual([
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      thought('First'),
      thought(', think.'),
    ),
    stop(0),
    ...block(1, EMPTY_TEXT, text('Answer'), text(' 42')),
    stop(1),
    ...end('end_turn'),
  ])
})

test('given calls of tools, when translated, then each is a block with its input', () => {
  const events = eventsIn(delivered([recorded('tools')]))
  const calls = events.filter(({ content_block: content }) => isObject(content))
  expect(calls).toMatchObject([
    { content_block: { type: 'tool_use', name: 'get_weather', input: {} } },
    { content_block: { type: 'tool_use', name: 'get_time', input: {} } },
  ])
  const input = (index: number): string =>
    events
      .filter((event) => event['index'] === index && isObject(event['delta']))
      .map(({ delta }) => (isObject(delta) ? String(delta['partial_json']) : ''))
      .join('')
  expect([input(0), input(1)]).toEqual(['{"city":"Zürich"}', '{}'])
  expect(events.slice(-2)).toEqual(end('tool_use'))
})

test('given thoughts that the channel makes content, when translated, then they are text', () => {
  const text = newStream(true).push(recorded('reasoning')).toString()
  expect(text).toContain('<think>')
  expect(text).not.toContain('thinking_delta')
})

test('given comments, when translated, then they are not said, and pings and errors are of Anthropic', () => {
  const stream = newStream()
  expect(stream.push(Buffer.from(': PROCESSING\n\n'))).toHaveLength(0)
  expect(stream.keepAlive).toBe('event: ping\ndata: {"type":"ping"}\n\n')
  expect(stream.refused(refusal(403, 'c', 'no'), 'r')).toMatch(/^event: error\ndata: /)
})

const COMPLETION = {
  id: 'c',
  model: 'gpt',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Hm',
        tool_calls: [
          { id: 't1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
          { id: 't2', type: 'function', function: { name: 'now', arguments: '' } },
        ],
      },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 28, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 8 } },
}

test('given a whole completion, when translated, then it is a message with all of it', () => {
  const reply = readWholeReply(MESSAGES, Buffer.from(JSON.stringify(COMPLETION)), 0)
  if (reply.status !== 'answered') throw new Error(reply.status)
  expect(JSON.parse(Buffer.from(reply.body ?? []).toString())).toEqual({
    id: 'c',
    type: 'message',
    role: 'assistant',
    model: 'gpt',
    content: [
      { type: 'thinking', thinking: 'Hm', signature: '' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
      { type: 'tool_use', id: 't2', name: 'now', input: {} },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: 20,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 8,
      output_tokens: 4,
    },
  })
})
