import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { refusal } from '../../refusal.ts'
import { ResponsesStream } from './stream.ts'

const recorded = (name: string): string =>
  readFileSync(
    new URL(`../../../tests/support/fixtures/responses/${name}.sse`, import.meta.url),
    'utf8',
  )
const NAMES = { previous: () => 'resp_before', seal: (id: string) => `sealed-${id}` }
const opened = (): ResponsesStream => new ResponsesStream('the-secret-key', NAMES)

/** As the client is to get it: the same but for ids, which upstream's answer names itself by. */
const sealed = (text: string): string =>
  text
    .replaceAll('"id":"resp_up', '"id":"sealed-resp_up')
    .replaceAll('"previous_response_id":"resp_up1"', '"previous_response_id":"resp_before"')

for (const name of ['text', 'tools']) {
  const text = recorded(name)
  const bytes = Buffer.from(text)

  test(`given the recording ${name}, when cut at any byte, then all is delivered and the end waits`, () => {
    const before = sealed(text.slice(0, text.lastIndexOf('event: ')))
    const told = { before, all: sealed(text), isDone: true, usage: [20, 10, 12, 5] }
    const wrong: number[] = []
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const read = JSON.stringify(readIn([bytes.subarray(0, cut), bytes.subarray(cut)]))
      if (read !== JSON.stringify(told)) wrong.push(cut)
    }
    expect(wrong).toEqual([])
    expect(readIn([bytes])).toEqual(told)
  })
}

function readIn(pieces: readonly Buffer[]): object {
  const stream = opened()
  const delivered = [...pieces.map((piece) => stream.push(piece)), stream.end()]
  const before = Buffer.concat(delivered).toString('utf8')
  const { input, output } = stream.usage
  return {
    before,
    all: before + stream.closing().toString('utf8'),
    isDone: stream.isDone,
    usage: [input?.textIn, input?.cachedIn, output?.textOut, output?.reasoningOut],
  }
}

test('given tools that the provider runs, when streamed, then their calls are counted', () => {
  const stream = opened()
  stream.push(Buffer.from(recorded('tools')))
  expect(stream.usage.calls).toEqual({ webSearchCalls: 1, fileSearchCalls: 0 })
  expect(stream.output.text()).toBe('Thinkget_weather{"city":"Paris"}')
  expect(stream.told).toEqual({ id: 'resp_up2', model: 'gpt-5-mini', service_tier: 'default' })
})

test('given a stream that is cut off, when judged, then it is neither done nor finished', () => {
  const stream = opened()
  const text = recorded('text')
  stream.push(Buffer.from(text.slice(0, text.indexOf('event: response.output_text.done'))))
  stream.end()
  expect([stream.isDone, stream.isFinished, stream.hasStarted]).toEqual([false, false, true])
  expect(stream.usage).toMatchObject({ input: null, output: null })
  expect(stream.output.text()).toBe('Hi there')
})

test("given a response that failed, when refused, then upstream's own event tells it without the key", () => {
  const failed = {
    type: 'response.failed',
    sequence_number: 2,
    response: {
      id: 'resp_up1',
      status: 'failed',
      error: { code: 'rate_limit_exceeded', message: 'slow down the-secret-key' },
    },
  }
  const stream = opened()
  const written = `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`
  expect(stream.push(Buffer.from(written)).toString()).toBe('')
  expect(stream.error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  const why = refusal(429, 'rate_limit_exceeded', 'slow down')
  expect(stream.refused(why, 'req')).toBe(sealed(written).replace('the-secret-key', '***'))
  const unpaid = refusal(503, 'charge_not_durable', 'late', { mustNotRepeat: true })
  const event = /^event: error\ndata: (.*)\n\n$/.exec(stream.refused(unpaid, 'req'))
  expect(JSON.parse(event?.[1] ?? '')).toMatchObject({
    type: 'error',
    sequence_number: 3,
    code: 'charge_not_durable',
    error: { code: 'charge_not_durable' },
  })
})

test('given garbage in a stream, when read, then the stream is at fault', () => {
  const stream = opened()
  stream.push(Buffer.from('data: {oops\n\n'))
  expect(stream.fault).toMatch(/not a JSON object/)
  expect(stream.closing().length).toBe(0)
})
