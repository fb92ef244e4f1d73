import { readdirSync, readFileSync } from 'node:fs'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { describe, expect, test } from 'vitest'
import { sumOf } from '../../metering/openai-usage.ts'
import { refusal } from '../../refusal.ts'
import { chunkRewriter } from './chunk-rewriter.ts'
import { OpenAiStream, type StreamOptions } from './stream.ts'

const FOLDER = new URL('../../../tests/support/fixtures/openai/', import.meta.url)
const recorded = (name: string): Buffer => readFileSync(new URL(`${name}.sse`, FOLDER))
const NAMES = readdirSync(FOLDER).map((file) => file.replace(/\.sse$/, ''))

const PLAIN: StreamOptions = {
  showUsage: false,
  object: 'chat.completion.chunk',
  rewrite: null,
  answer: null,
  quirks: [],
  key: 'secret-key',
}
const asked: StreamOptions = { ...PLAIN, showUsage: true }
const USED = { ...NO_USAGE, textIn: 2, textOut: 1 }

/** The closing chunks of a stream, as a client parses them. */
const closingOf = (stream: OpenAiStream, isEstimated: boolean): readonly unknown[] =>
  stream
    .closing(USED, isEstimated)
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event): unknown => JSON.parse(event.slice('data: '.length).replace('[DONE]', '"[DONE]"')))

/** All that a stream lets through and everything that is known of it, given in pieces. */
function relayed(pieces: readonly Buffer[], options: () => StreamOptions): object {
  const stream = new OpenAiStream(options())
  const delivered = [...pieces.map((piece) => Buffer.from(stream.push(piece))), stream.end()]
  const { report, error, isDone, isFinished, hasStarted, output } = stream
  return {
    delivered: Buffer.concat(delivered).toString(),
    text: output.text(),
    roughTokens: output.roughTokens,
    framing: output.tokensBesideText,
    hasFault: stream.fault !== null,
    report,
    error,
    closing: stream.closing(USED, false),
    isDone,
    isFinished,
    hasStarted,
  }
}

const OPTIONS: ReadonlyArray<readonly [string, () => StreamOptions]> = [
  ['usage hidden', () => PLAIN],
  ['usage shown', () => asked],
  [
    'rewritten',
    () => ({
      ...PLAIN,
      rewrite: chunkRewriter({ forceFormat: true, thinkingToContent: true }),
    }),
  ],
]

/** Streams as some upstreams write them, beside the recordings. */
const ODD: Readonly<Record<string, string>> = {
  'event and id lines':
    'event: message\nid: 1\ndata: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\nevent: message\nid: 2\ndata: {"id":"c","choices":[],"usage":{"total_tokens":3}}\n\nevent: done\nid: 3\ndata: [DONE]\n\n',
  'lines ended by CR':
    ': hello\r\rdata: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\r\rid: 2\rdata: {"choices":[],"usage":{"total_tokens":3}}\r\rdata: [DONE]\r\r',
  'a byte order mark, data over lines, CRLF':
    '\uFEFFdata: {"id":"c",\r\ndata:"choices":[{"index":0,\r\ndata: "delta":{"content":"Hi"}}],"usage":{"total_tokens":3}}\r\n\r\nid: 4\r\n\r\ndata:[DONE]\r\n\r\n',
}
const bytesOf = (name: string): Buffer => {
  const odd = ODD[name]
  return odd === undefined ? recorded(name) : Buffer.from(odd)
}

test('given event and id lines, when their data is hidden, then they are hidden with it', () => {
  expect(relayed([bytesOf('event and id lines')], () => PLAIN)).toMatchObject({
    delivered:
      'event: message\nid: 1\ndata: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
    report: { total_tokens: 3 },
    isDone: true,
  })
})

test('given lines that end in CR alone, when read, then events are told apart', () => {
  expect(relayed([bytesOf('lines ended by CR')], () => PLAIN)).toMatchObject({
    delivered:
      ': hello\r\rdata: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\r\r',
    text: 'Hi',
    report: { total_tokens: 3 },
    isDone: true,
    isFinished: true,
  })
})

test('given a byte order mark and data over several lines, when read, then the data is one chunk', () => {
  expect(relayed([bytesOf('a byte order mark, data over lines, CRLF')], () => PLAIN)).toMatchObject(
    {
      delivered: 'data: {"id":"c","choices":[{"index":0, "delta":{"content":"Hi"}}]}\r\n\r\n',
      text: 'Hi',
      report: { total_tokens: 3 },
      isDone: true,
    },
  )
})

test.each([
  ['a role alone', { role: 'assistant', content: '' }],
  ['nothing', {}],
  ['a null', { content: null }],
])('given usage beside a choice of %s, when read, then the choice goes through', (_what, delta) => {
  const chunk = { id: 'c', choices: [{ index: 0, delta, finish_reason: null }] }
  const stream = new OpenAiStream(PLAIN)
  const sent = `data: ${JSON.stringify({ ...chunk, usage: { prompt_tokens: 4 } })}\n\n`
  expect(stream.push(Buffer.from(sent)).toString()).toBe(`data: ${JSON.stringify(chunk)}\n\n`)
  expect(stream.report).toEqual({ prompt_tokens: 4 })
})

test('given a usage chunk with more members, when closed, then ours has them and the charge’s counts', () => {
  const stream = new OpenAiStream({ ...asked, object: 'text_completion' })
  stream.push(
    Buffer.from(
      'data: {"id":"c","object":"","choices":[],"citations":["a"],"usage":{"total_tokens":3}}\n\n',
    ),
  )
  const members = { id: 'c', object: 'text_completion', choices: [], citations: ['a'] }
  expect(closingOf(stream, false)).toEqual([{ ...members, usage: { total_tokens: 3 } }, '[DONE]'])
  expect(closingOf(stream, true)).toEqual([
    { ...members, usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 } },
    '[DONE]',
  ])
})

test.each([
  ['citations', ['https://a.example/'], true],
  ['search_results', [{ url: 'https://a.example/', title: 'A' }], true],
  ['citations', [], false],
  ['provider', 'x', false],
])('given usage beside %s %j, when it is hidden, then pages alone go through', (...given) => {
  const [name, value, isShown] = given
  const chunk = { id: 'c', choices: [], [name]: value }
  const sent = Buffer.from(`data: ${JSON.stringify({ ...chunk, usage: { total_tokens: 3 } })}\n\n`)
  const stream = new OpenAiStream(PLAIN)
  const shown = isShown ? `data: ${JSON.stringify(chunk)}\n\n` : ''
  expect(stream.push(sent).toString()).toBe(shown)
  expect(stream.report).toEqual({ total_tokens: 3 })
  expect(new OpenAiStream(asked).push(sent).toString()).toBe('')
})

test.each([
  ['data: {"error":"","id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n', null],
  ['event: error\ndata: {"message":"not with secret-key"}\n\n', 'not with ***'],
])('given %j, when read, then its error is known', (sent, error) => {
  const stream = new OpenAiStream(PLAIN)
  expect(stream.push(Buffer.from(sent)).toString()).toBe(error === null ? sent : '')
  expect(stream.error?.message ?? null).toEqual(error)
})

describe.each([...NAMES, ...Object.keys(ODD)])('given the recorded stream %s', (name) => {
  test.each(OPTIONS)('when cut at any byte (%s), then nothing changes', (_what, options) => {
    const bytes = bytesOf(name)
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
    expect(stream.report).toMatchObject({ prompt_tokens: 19 })
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
  expect(stream.report).toEqual({ completion_tokens: 2 })
})

test('given an Azure stream, when closed, then its usage chunk repeats the answer, not the filter results', () => {
  const stream = new OpenAiStream(asked)
  stream.push(
    Buffer.from(
      'data: {"id":"","object":"","created":0,"model":"","choices":[],"prompt_filter_results":[]}\n\n' +
        'data: {"id":"c","object":"chat.completion.chunk","created":7,"model":"m","system_fingerprint":"fp","service_tier":"default","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
    ),
  )
  expect(closingOf(stream, true)).toEqual([
    {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 7,
      model: 'm',
      system_fingerprint: 'fp',
      service_tier: 'default',
      choices: [],
      usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
    },
    '[DONE]',
  ])
})

test('given usage that nobody asked for, when closed or refused, then only that is said', () => {
  const stream = new OpenAiStream(PLAIN)
  stream.push(recorded('plain-with-usage'))
  expect(stream.closing(USED, false)).toBe('data: [DONE]\n\n')
  const said: unknown = JSON.parse(stream.refused(refusal(403, 'c', 'no'), 'r').slice(6))
  expect(said).toMatchObject({ error: { code: 'c', message: 'no (request id: r)' } })
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
  expect(sumOf(stream.usage)).toMatchObject(usage)
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
  expect(stream.error).toMatchObject({ type: 'server_error' })
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
  const stream = new OpenAiStream({ ...PLAIN, rewrite })
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
