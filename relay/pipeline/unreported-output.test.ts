import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { eventually, textUntilBreak } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Charges when upstream does not report usage, or the client does not stay to hear it. */
const { relay, upstream } = await openRelayFixture()

const CHAT = '/v1/chat/completions'
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
const LAST = `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`
const USAGE = `data: {"id":"c","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}\n\n`
const DONE = 'data: [DONE]\n\n'
const begin = (response: ServerResponse, ...parts: readonly string[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(parts.join(''))
}
/** A second of what a chat model speaks. */
const AUDIO = Buffer.alloc(48_000).toString('base64')

test.each([
  ['audio', { audio: { id: 'a', data: AUDIO, transcript: 'Hi' } }, { audioOut: 20, textOut: 1 }],
  [
    'custom tool input',
    { tool_calls: [{ custom: { name: 'f', input: 'select one' } }] },
    { textOut: 10 },
  ],
  ['parts', { content: [{ type: 'text', text: 'Hello there' }] }, { textOut: 2 }],
  [
    'images',
    { images: [{ image_url: { url: 'data:image/png;base64,AA' } }] },
    { textOut: 0, imageOut: 1_290 },
  ],
  [
    'reasoning details',
    { reasoning_details: [{ type: 'reasoning.text', text: 'Hello' }] },
    { textOut: 1 },
  ],
] as const)(
  'given an answer of %s without usage, whole or streamed, then it is counted and leaves a row',
  async (_kind, message, usage) => {
    upstream.behave((response) => {
      const answer = { choices: [{ index: 0, message: { role: 'assistant', ...message } }] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
    expect((await relay.post(CHAT, HELLO)).status).toBe(200)
    upstream.behave((response) => {
      begin(response, chunk(message), LAST, DONE)
      response.end()
    })
    await (await relay.post(CHAT, { ...HELLO, stream: true })).text()
    const charged = { request: { estimated: true, usage } }
    expect(relay.holds.settled).toMatchObject([charged, charged])
  },
)

/** Asks for a stream and leaves when its finish reason has come. */
async function leaveAtFinish(): Promise<void> {
  const response = await relay.post(CHAT, { ...HELLO, stream: true })
  let text = ''
  const decoder = new TextDecoder()
  // Leaving the loop cancels the body, which closes the connection.
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.includes('"finish_reason":"stop"')) break
  }
}

test('given a client that leaves at the finish reason, when usage follows, then it is charged by usage', async () => {
  const left = new Promise<void>((resolve) => {
    relay.app.server.once('request', (_request, answer: ServerResponse) => {
      answer.once('close', resolve)
    })
  })
  upstream.behave((response) => {
    begin(response, chunk({ content: 'Hi' }), LAST)
    // The relay knows that the client is gone, and reads on.
    void left.then(() => response.end(USAGE + DONE))
  })
  await leaveAtFinish()
  await eventually(() => relay.holds.settled.length === 1)
  expect(relay.holds.settled).toMatchObject([
    { request: { cancelled: true, estimated: false, usage: { textIn: 10, textOut: 20 } } },
  ])
})

test('given a client that leaves at the finish reason, when no usage follows, then our count is charged', async () => {
  let isAborted = false
  upstream.behave((response) => {
    response.on('close', () => (isAborted = true))
    begin(response, chunk({ content: 'Hi' }), LAST)
  })
  await leaveAtFinish()
  await eventually(() => isAborted && relay.holds.settled.length === 1)
  expect(relay.holds.settled).toMatchObject([
    { request: { cancelled: true, estimated: true, usage: { textOut: 1 } } },
  ])
})

test('given only comments, when upstream says that it is done, then the client is told, free of charge', async () => {
  upstream.behave((response) => {
    begin(response, `: ${'x'.repeat(1_000)}\n\n`.repeat(100), DONE)
    response.end()
  })
  const text = await textUntilBreak(await relay.post(CHAT, { ...HELLO, stream: true }))
  expect(text).toContain('bad_response_body')
  expect(relay.holds.settled).toEqual([])
  expect(relay.failures).toMatchObject([{ errorCode: 'bad_response_body' }])
})

test('given impossible usage nested by the thousand, when metered, then our own count is charged', async () => {
  const deep = `${'['.repeat(15_000)}${']'.repeat(15_000)}`
  const answer = `{"choices":[{"index":0,"message":{"content":"Hello there"}}],"usage":{"prompt_tokens":-1,"deep":${deep}}}`
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })
  const response = await relay.post(CHAT, HELLO)
  expect(response.status).toBe(200)
  await response.text()
  expect(relay.holds.settled).toMatchObject([{ request: { estimated: true } }])
  expect(relay.holds.settled[0]?.request.upstream).toMatchObject({ isUsageCut: true })
})
