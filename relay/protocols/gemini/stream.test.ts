import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FrameAnswer, ListedFrames, PassedEvents } from './frame-answers.ts'
import { GeminiStream } from './stream.ts'

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../tests/support/fixtures/gemini/${name}.sse`, import.meta.url))
const STREAM = fixture('thoughts-and-text')

/** The bytes that a client gets of pieces of a stream, before and with the end. */
function through(
  pieces: readonly Buffer[],
  answer: FrameAnswer,
): readonly [string, string, GeminiStream] {
  const stream = new GeminiStream('key', answer)
  const before = Buffer.concat([...pieces.map((piece) => stream.push(piece)), stream.end()])
  return [before.toString(), before.toString() + String(stream.closing(NO_USAGE)), stream]
}

test('given a stream cut at every byte, when passed, then nothing is changed', () => {
  for (let at = 0; at <= STREAM.length; at += 1) {
    const pieces = [STREAM.subarray(0, at), STREAM.subarray(at)]
    const [, whole, stream] = through(pieces, new PassedEvents())
    expect(whole).toBe(STREAM.toString())
    expect(stream.isFinished).toBe(true)
    expect(stream.output.text()).toBe('**Counting**\n\nTwo words.Grüezi Zürich 🌊!')
  }
})

test('given a stream, when passed, then the frame with the finish reason waits for the end', () => {
  const [before] = through([STREAM], new PassedEvents())
  expect(before).toContain('Zürich 🌊')
  expect(before).not.toContain('finishReason')
})

test('given a stream, when read, then thoughts, cached tokens and those of tools are counted', () => {
  const [, , { usage, told, fault, error }] = through([STREAM], new PassedEvents())
  expect(usage).toMatchObject({
    input: { textIn: 210, cachedIn: 1_000 },
    output: { textOut: 69, reasoningOut: 60 },
  })
  expect(told).toEqual({ id: 'rsp-1', model: 'gemini-2.5-flash' })
  expect([fault, error]).toEqual([null, null])
})

test('given no alt=sse, when a stream is cut anywhere, then a list of the frames comes out', () => {
  const frames: unknown[] = STREAM.toString()
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event): unknown => JSON.parse(event.slice('data: '.length)))
  for (let at = 0; at <= STREAM.length; at += 7) {
    const pieces = [STREAM.subarray(0, at), STREAM.subarray(at)]
    const [before, whole] = through(pieces, new ListedFrames())
    expect(JSON.parse(whole)).toEqual(frames)
    expect(() => void JSON.parse(before)).toThrow(SyntaxError)
  }
})

test('given an error in a stream, when read, then it is no frame and nothing after it is read', () => {
  const error = '{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}'
  const [before, , stream] = through(
    [Buffer.from(`data: ${error}\n\n`), STREAM],
    new PassedEvents(),
  )
  expect(before).toBe('')
  expect(stream.error).toMatchObject({ status: 503, message: 'The model is overloaded.' })
  expect(stream.isFinished).toBe(false)
})

test('given a prompt that is blocked, when read, then the answer is complete without content', () => {
  const frame = {
    promptFeedback: { blockReason: 'SAFETY' },
    usageMetadata: { promptTokenCount: 9 },
  }
  const [before, whole, stream] = through(
    [Buffer.from(`data: ${JSON.stringify(frame)}\r\n\r\n`)],
    new PassedEvents(),
  )
  expect([before, stream.isFinished, stream.hasStarted]).toEqual(['', true, false])
  expect(whole).toContain('blockReason')
})

test.each([
  ['camel case', 'executableCode', 'codeExecutionResult'],
  ['snake case', 'executable_code', 'code_execution_result'],
])('given code and its result in %s, when passed, then both stay and are counted', (...given) => {
  const [, code, result] = given
  const parts = [
    { [code]: { language: 'PYTHON', code: 'print(6 * 7)' } },
    { [result]: { outcome: 'OUTCOME_OK', output: '42\n' } },
  ]
  const frame = { candidates: [{ content: { role: 'model', parts }, index: 0 }] }
  const sent = `data: ${JSON.stringify(frame)}\n\n`
  const [before, , stream] = through([Buffer.from(sent)], new PassedEvents())
  expect(before).toBe(sent)
  expect(stream.hasStarted).toBe(true)
  expect(stream.output.text()).toBe('print(6 * 7)42\n')
})
