import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { usageOf } from '../../metering/openai-usage.ts'
import { chunkRewriter } from './chunk-rewriter.ts'
import { OpenAiStream, type StreamOptions, usageChunkOf } from './stream.ts'

const FOLDER = new URL('./fixtures/', import.meta.url)
const recorded = (name: string): Buffer => readFileSync(new URL(`${name}.sse`, FOLDER))
const NAMES = readdirSync(FOLDER).map((file) => file.replace(/\.sse$/, ''))

const PLAIN: StreamOptions = { showUsage: false, rewrite: null }

/** All that a stream lets through and everything that is known of it, given in pieces. */
function relayed(pieces: readonly Buffer[], options: () => StreamOptions): object {
  const stream = new OpenAiStream(options())
  const delivered = [...pieces.map((piece) => Buffer.from(stream.push(piece))), stream.end()]
  const { usage, error, isDone, isFinished, hasStarted, output } = stream
  return {
    delivered: Buffer.concat(delivered).toString(),
    text: output.text(),
    roughTokens: output.roughTokens,
    framing: output.tokensBesideText,
    hasFault: stream.fault !== null,
    usage,
    error,
    isDone,
    isFinished,
    hasStarted,
  }
}

const OPTIONS: ReadonlyArray<readonly [string, () => StreamOptions]> = [
  ['usage hidden', () => PLAIN],
  ['usage shown', () => ({ showUsage: true, rewrite: null })],
  [
    'rewritten',
    () => ({
      showUsage: false,
      rewrite: chunkRewriter({ forceFormat: true, thinkingToContent: true }),
    }),
  ],
]

describe.each(NAMES)('given the recorded stream %s', (name) => {
  test.each(OPTIONS)('when cut at any byte (%s), then nothing changes', (_what, options) => {
    const bytes = recorded(name)
    const whole = relayed([bytes], options)
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(relayed([bytes.subarray(0, cut), bytes.subarray(cut)], options)).toEqual(whole)
    }
    const singly = Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1))
    expect(relayed(singly, options)).toEqual(whole)
  })
})

/** The recording without the events that a client must not see. */
function without(name: string, hidden: RegExp): string {
  return recorded(name)
    .toString()
    .split(/(?<=\n\r?\n)/)
    .filter((event) => !hidden.test(event))
    .join('')
}

test.each(['plain-with-usage', 'tools', 'multi-byte', 'crlf', 'comments', 'text-completion'])(
  'given %s, when usage has a chunk of its own, then only that chunk and [DONE] are missing',
  (name) => {
    expect(relayed([recorded(name)], () => PLAIN)).toMatchObject({
      delivered: without(name, /"choices":\[\]|\[DONE\]/),
      isDone: true,
      isFinished: true,
    })
  },
)

const asked: StreamOptions = { showUsage: true, rewrite: null }
const FINISHING =
  '{"id":"c","big":12345678901234567890,"choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29}}'

test.each([
  ['asked for', asked, ',"usage":null}'],
  ['not asked for', PLAIN, '}'],
] as const)(
  'given usage in the finishing chunk, when it is %s, then the chunk goes through without it',
  (_how, options, end) => {
    const stream = new OpenAiStream(options)
    const delivered = stream.push(Buffer.from(`data: ${FINISHING}\n\ndata: [DONE]\n\n`)).toString()
    expect(delivered).toBe(`data: ${FINISHING.slice(0, FINISHING.indexOf(',"usage"'))}${end}\n\n`)
    expect(stream.usage).toMatchObject({ prompt_tokens: 19 })
  },
)

test('given usage in every chunk and in the choice, when read, then no chunk shows any and none is lost', () => {
  const stream = new OpenAiStream(asked)
  const chunk = (delta: object, usage: object, more: object = {}): string =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, ...more }], usage })}\n\n`
  const delivered = stream
    .push(
      Buffer.from(
        chunk({ role: 'assistant' }, { completion_tokens: 0 }) +
          chunk({ content: 'Hi' }, { completion_tokens: 1 }) +
          chunk({}, { completion_tokens: 2 }, { finish_reason: 'stop', usage: { a: 1 } }),
      ),
    )
    .toString()
  expect(delivered.match(/"role":"assistant"|"content":"Hi"|"finish_reason":"stop"/g)).toHaveLength(
    3,
  )
  expect(delivered).not.toContain('completion_tokens')
  expect(delivered).not.toContain('"a":1')
  expect(stream.usage).toEqual({ completion_tokens: 2 })
})

test('given an Azure stream, when its usage chunk is made, then it repeats the members of the answer, not those of the filter results', () => {
  const stream = new OpenAiStream(asked)
  stream.push(
    Buffer.from(
      'data: {"id":"","object":"","created":0,"model":"","choices":[],"prompt_filter_results":[]}\n\n' +
        'data: {"id":"c","object":"chat.completion.chunk","created":7,"model":"m","system_fingerprint":"fp","service_tier":"default","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
    ),
  )
  expect(usageChunkOf(stream.identity, { total_tokens: 3 })).toEqual({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 7,
    model: 'm',
    system_fingerprint: 'fp',
    service_tier: 'default',
    choices: [],
    usage: { total_tokens: 3 },
  })
})

test.each([
  ['plain-with-usage', 'Hello there!', { textIn: 19, textOut: 10 }],
  [
    'reasoning',
    'First, think.Answer 42',
    { textIn: 4, cachedIn: 8, textOut: 20, reasoningOut: 14 },
  ],
  ['multi-byte', '你好，世界 🌍🚀 é\u2028ñ', { textIn: 9, textOut: 14 }],
  ['usage-in-choice', 'Hi', { textIn: 8, textOut: 2 }],
  ['text-completion', 'Once upon', { textIn: 4, textOut: 2 }],
] as const)('given %s, when read, then its text and usage are known', (name, text, usage) => {
  const stream = new OpenAiStream(PLAIN)
  stream.push(recorded(name))
  expect(stream.output.text()).toBe(text)
  expect(usageOf(stream.usage, [])).toMatchObject(usage)
})

test('given tool calls, when read, then names and arguments count, and each call its framing', () => {
  const stream = new OpenAiStream(PLAIN)
  stream.push(recorded('tools'))
  expect(stream.output.text()).toBe('get_weather{"city":"Zürich"}get_time{}')
  expect(stream.output.tokensBesideText).toBe(14)
})

test('given an error after text, when read, then the text went through and the error did not', () => {
  const stream = new OpenAiStream(PLAIN)
  const delivered = stream.push(recorded('error-mid-stream')).toString()
  expect(delivered).toContain(' answer')
  expect(delivered).not.toContain('Sorry')
  expect(stream.error).toMatchObject({ error: { type: 'server_error' } })
  expect(stream.isFinished).toBe(false)
})

test('given an error at once, when read, then nothing has started', () => {
  const stream = new OpenAiStream(PLAIN)
  expect(stream.push(recorded('error-at-once'))).toHaveLength(0)
  expect(stream.hasStarted).toBe(false)
  expect(stream.error).not.toBeNull()
})

test('given comments before the first chunk, when read, then they do not start the stream', () => {
  const stream = new OpenAiStream(PLAIN)
  stream.push(Buffer.from(': PROCESSING\n\n'))
  expect(stream.hasStarted).toBe(false)
})

test('given a stream that breaks off in a chunk, when it ends, then that is a fault', () => {
  const stream = new OpenAiStream(PLAIN)
  stream.push(recorded('truncated'))
  stream.end()
  expect(stream.fault).not.toBeNull()
  expect(stream.isFinished).toBe(false)
})

test('given no blank line behind the last event, when it ends, then one is added', () => {
  const stream = new OpenAiStream(PLAIN)
  const delivered = stream.push(recorded('no-done')).toString() + stream.end().toString()
  expect(delivered.endsWith('\n\n')).toBe(true)
  expect(stream.isBetweenEvents).toBe(true)
  expect(stream.isFinished).toBe(true)
})

test('given garbage, when read, then everything after it is dropped', () => {
  const stream = new OpenAiStream(PLAIN)
  const delivered = stream.push(recorded('garbage')).toString()
  expect(stream.fault).not.toBeNull()
  expect(delivered).not.toContain('html')
  expect(delivered).not.toContain('never')
})

test('given a line without end, when it grows beyond the limit, then the stream is given up', () => {
  const stream = new OpenAiStream(PLAIN)
  const piece = Buffer.alloc(1024 * 1024, 'x')
  for (let megabytes = 0; megabytes < 11; megabytes += 1) stream.push(piece)
  expect(stream.fault).toContain('bytes')
})

test('given thinking, when it is to be content, then it stands between think tags', () => {
  const rewrite = chunkRewriter({ forceFormat: false, thinkingToContent: true })
  const stream = new OpenAiStream({ showUsage: false, rewrite })
  const contents = stream
    .push(recorded('reasoning'))
    .toString()
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event): unknown => JSON.parse(event.slice('data: '.length)))
    .map((chunk) => (chunk as { choices: [{ delta: object }] }).choices[0].delta)
  expect(contents).toEqual([
    { role: 'assistant', content: '<think>\nFirst' },
    { content: ', think.' },
    { content: '\n</think>\n' },
    { content: 'Answer' },
    { content: ' 42' },
    { content: '' },
  ])
})
