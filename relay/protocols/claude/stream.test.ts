import { readdirSync, readFileSync } from 'node:fs'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { describe, expect, test } from 'vitest'
import { sumOf } from '../../metering/openai-usage.ts'
import { refusal } from '../../refusal.ts'
import { PassedEvents } from './event-answers.ts'
import { ClaudeStream } from './stream.ts'

const claudeStream = (key: string) => new ClaudeStream(key, new PassedEvents())
const FOLDER = new URL('../../../tests/support/fixtures/claude/', import.meta.url)
const recorded = (name: string): Buffer => readFileSync(new URL(`${name}.sse`, FOLDER))
const NAMES = readdirSync(FOLDER).map((file) => file.replace(/\.sse$/, ''))

/** All that a stream lets through and what is known of it, given in pieces. */
function relayed(pieces: readonly Buffer[]): object {
  const stream = claudeStream('upstream-key-1')
  const delivered = [...pieces.map((piece) => Buffer.from(stream.push(piece))), stream.end()]
  const { report, usage, told, error, fault, isDone, isFinished, hasStarted, output } = stream
  return {
    delivered: Buffer.concat(delivered).toString(),
    closing: stream.closing(NO_USAGE).toString(),
    written: output.facts(),
    report,
    usage,
    told,
    error,
    isDone,
    isFinished,
    hasStarted,
    hasFault: fault !== null,
  }
}

/** Streams as they may come, beside the recordings. */
const ODD: Readonly<Record<string, string>> = {
  'CRLF, comments and data over lines':
    ': hello\r\n\r\nevent: message_start\r\ndata: {"type":"message_start",\r\ndata: "message":{"id":"m","usage":{"input_tokens":3}}}\r\n\r\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\r\n\r\n',
  'an event behind the last count':
    'data: {"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":1}}\n\nevent: ping\ndata: {"type":"ping"}\n\ndata: {"type":"content_block_delta","index":0,"delta":{"text":"More"}}\n\n',
  garbage: 'data: {"type":"message_start"}\n\ndata: <html>\n\ndata: {"type":"message_stop"}\n\n',
  'a stream cut in an event': 'data: {"type":"content_block_delta","index":0,"del',
}
const bytesOf = (name: string): Buffer => {
  const odd = ODD[name]
  return odd === undefined ? recorded(name) : Buffer.from(odd)
}

describe.each([...NAMES, ...Object.keys(ODD)])('given the stream %s', (name) => {
  test('when cut at any byte, then nothing changes', () => {
    const bytes = bytesOf(name)
    const whole = relayed([bytes])
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(relayed([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole)
    }
    const singly = Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1))
    expect(relayed(singly)).toEqual(whole)
  })
})

test.each(['text-with-cache', 'thinking-and-tools'])(
  'given %s, when read, then all passes as it came, and its end waits for closing',
  (name) => {
    const text = recorded(name).toString()
    const end = text.indexOf('event: message_delta')
    expect(relayed([recorded(name)])).toMatchObject({
      delivered: text.slice(0, end),
      closing: text.slice(end),
      isDone: true,
      isFinished: true,
      hasStarted: true,
    })
  },
)

test('given cache reads and writes, when read, then the last count of each kind holds', () => {
  const stream = claudeStream('')
  stream.push(recorded('text-with-cache'))
  expect(sumOf(stream.usage)).toEqual({
    ...NO_USAGE,
    textIn: 101,
    cachedIn: 1_000,
    cacheWriteIn: 150,
    cacheWrite1hIn: 50,
    textOut: 50,
  })
  expect(stream.told).toEqual({ id: 'msg_01', model: 'claude-sonnet-4-5-20250929' })
  expect(stream.output.text()).toBe('Grüezi, 世界 🌍')
})

test('given thinking and two tools, when read, then what was written is known, and what was thought', () => {
  const stream = claudeStream('')
  stream.push(recorded('thinking-and-tools'))
  expect(stream.output.text()).toBe('Two tools.get_weather{"city":"Zürich"}get_time')
  expect(stream.output.tokensBesideText).toBe(2 * 7 + 2)
  expect(sumOf(stream.usage)).toEqual({ ...NO_USAGE, textIn: 20, textOut: 40, reasoningOut: 12 })
})

test('given a stream cut before its last count, when read, then its first count is not believed', () => {
  const stream = claudeStream('')
  const text = recorded('text-with-cache').toString()
  stream.push(Buffer.from(text.slice(0, text.indexOf('event: message_delta'))))
  expect(stream.usage).toMatchObject({ input: { textIn: 100, cachedIn: 1_000 }, output: null })
  expect(stream.isFinished).toBe(false)
})

test('given a message that has only begun, when read, then another channel may still answer', () => {
  const stream = claudeStream('')
  const text = recorded('overloaded').toString()
  stream.push(Buffer.from(text.slice(0, text.indexOf('event: content_block_start'))))
  expect(stream.hasStarted).toBe(false)
})

test('given an error event, when read, then it is known, masked, and nothing after it is said', () => {
  const stream = claudeStream('upstream-key-1')
  const delivered = stream.push(recorded('overloaded')).toString()
  expect(delivered).toContain('Half an')
  expect(delivered).not.toMatch(/Overloaded|never/)
  expect(stream.error).toMatchObject({
    type: 'overloaded_error',
    status: 529,
    message: 'Overloaded by ***',
  })
})

test('given a content behind the last count, when read, then it passes behind that count', () => {
  expect(relayed([bytesOf('an event behind the last count')])).toMatchObject({
    delivered:
      'data: {"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":1}}\n\ndata: {"type":"content_block_delta","index":0,"delta":{"text":"More"}}\n\n',
    closing: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  })
})

test('given garbage or an event without end, when read, then the stream is given up', () => {
  const garbage = claudeStream('')
  expect(garbage.push(bytesOf('garbage')).toString()).not.toContain('html')
  expect(garbage.fault).toContain('not a JSON object')
  const long = claudeStream('')
  for (let megabytes = 0; megabytes < 11; megabytes += 1) long.push(Buffer.alloc(1024 * 1024, 'x'))
  expect(long.fault).toContain('bytes')
})

test('given a stream that cannot go on, when refused, then the last event is an error of Anthropic', () => {
  const event = claudeStream('').refused(refusal(403, 'c', 'no'), 'r')
  expect(event.startsWith('event: error\ndata: ')).toBe(true)
  expect(JSON.parse(event.slice(event.indexOf('{')))).toEqual({
    type: 'error',
    error: { type: 'new_api_error', message: 'no (request id: r)' },
    request_id: 'r',
  })
})

test('given a compacted stream, when its cache was read for the summary alone, then that counts once', () => {
  const said = (event: object): Buffer => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
  const read = { input_tokens: 3, cache_read_input_tokens: 180_000 }
  const message = { input_tokens: 23_000, cache_read_input_tokens: 0, output_tokens: 1_000 }
  const iterations = [
    { type: 'compaction', ...read, output_tokens: 3_500 },
    { type: 'message', ...message },
  ]
  const stream = claudeStream('upstream-key-1')
  stream.push(
    said({ type: 'message_start', message: { id: 'm', usage: { ...read, output_tokens: 1 } } }),
  )
  stream.push(said({ type: 'message_delta', delta: {}, usage: { ...message, iterations } }))
  expect(sumOf(stream.usage)).toStrictEqual({
    ...NO_USAGE,
    textIn: 23_003,
    cachedIn: 180_000,
    textOut: 4_500,
  })
})
