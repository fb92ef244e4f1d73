import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Asked,
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '@tollgate/tests/support/relay/relay-under-test.ts'

let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay({ bodyBytesMax: 8_000_000 })
  upstream = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => startAfresh(relay, upstream))

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64')
const PAGE = '5 0 obj << /Type /Page /Parent 2 0 R >> endobj\n'
/** A file of thirty pages. */
const PDF = base64(`%PDF-1.4\n${PAGE.repeat(30)}%%EOF`)
const VIDEO = base64('x'.repeat(1_500_000))
const MODEL = 'gpt-4o-mini'
const HELLO = { type: 'text', text: 'What is this?' }

const chat = (part: object) => ({
  model: MODEL,
  max_tokens: 1,
  messages: [{ role: 'user', content: [HELLO, part] }],
})
const contents = (mimeType: string, data: string) => ({
  generationConfig: { maxOutputTokens: 1 },
  contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data } }] }],
})
const pdfUrl = `data:application/pdf;base64,${PDF}`

const prompts: ReadonlyArray<readonly [string, string, object, number]> = [
  [
    'a PDF of 30 pages to OpenAI',
    '/v1/chat/completions',
    chat({ type: 'file', file: { filename: 'a.pdf', file_data: pdfUrl } }),
    150_000,
  ],
  [
    'a video of 100 s to OpenAI',
    '/v1/chat/completions',
    chat({ type: 'video_url', video_url: { url: `data:video/mp4;base64,${VIDEO}` } }),
    30_000,
  ],
  [
    'a PDF of 30 pages in messages',
    '/v1/messages',
    chat({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: PDF },
    }),
    150_000,
  ],
  [
    'a PDF of 30 pages in contents',
    `/v1beta/models/${MODEL}:generateContent`,
    contents('application/pdf', PDF),
    150_000,
  ],
  [
    'a video of 100 s in contents',
    `/v1beta/models/${MODEL}:generateContent`,
    contents('video/mp4', VIDEO),
    30_000,
  ],
  [
    'a PDF of 30 pages in a response',
    '/v1/responses',
    {
      model: MODEL,
      max_output_tokens: 16,
      input: [{ role: 'user', content: [{ type: 'input_file', file_data: pdfUrl }] }],
    },
    150_000,
  ],
]

test.each(prompts)(
  'given %s, when reserved for, then by its tokens and not by its bytes',
  async (_what, path, body, tokens) => {
    relay.directory.set({ ModelRatio: JSON.stringify({ [MODEL]: 1 }), RetryTimes: '0' })
    await relay.post(path, body, { 'x-goog-api-key': `sk-${KEY}` })
    // A large body is asked for the least quota before it is taken in.
    const drawn = Math.max(...relay.holds.draws)
    expect(drawn).toBeGreaterThanOrEqual(tokens)
    // Nothing but the framing and the output beside it.
    expect(drawn).toBeLessThan(tokens + 500)
  },
)

const PICTURE = Buffer.from('89504e470d0a1a0a', 'hex')
const ANSWER = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
}
/** An Ollama that is also where pictures are. */
function ollama(picture: { readonly status?: number; readonly type?: string } = {}): void {
  relay.directory.channels.clear()
  relay.directory.add(1, { type: 4, baseUrl: upstream.url })
  const { status = 200, type = 'image/png' } = picture
  upstream.behave((response, { path }) => {
    if (path === '/cat.png') response.writeHead(status, { 'content-type': type }).end(PICTURE)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER))
  })
}
const sent = (): Asked | undefined =>
  upstream.asked.find(({ path }) => path.endsWith('completions'))
const image = (url: string): object => ({ type: 'image_url', image_url: { url, detail: 'low' } })
const DATA_URL = `data:image/png;base64,${PICTURE.toString('base64')}`

test.each([
  ['OpenAI', '/v1/chat/completions', (url: string) => chat(image(url))],
  [
    'Anthropic',
    '/v1/messages',
    (url: string) => chat({ type: 'image', source: { type: 'url', url } }),
  ],
])(
  'given a picture by address of %s’s client, when sent to Ollama, then it is data',
  async (_who, path, ask) => {
    ollama()
    const response = await relay.post(path, ask(`${upstream.url}/cat.png`))
    expect(response.status).toBe(200)
    expect(JSON.parse(sent()?.text ?? '')).toMatchObject({
      messages: [{ content: [HELLO, { type: 'image_url', image_url: { url: DATA_URL } }] }],
    })
    expect(relay.holds.settled).toHaveLength(1)
  },
)

test('given a picture as data, when sent to Ollama, then the bytes stay as they are', async () => {
  ollama()
  const body = JSON.stringify(chat(image(DATA_URL)))
  await relay.post('/v1/chat/completions', body)
  expect(sent()?.text).toBe(body)
})

test.each([
  ['that is not there', { status: 404 }, '/cat.png', 'answered 404'],
  ['that moved', { status: 302 }, '/cat.png', 'answered 302'],
  ['that is a page', { type: 'text/html' }, '/cat.png', 'sent no picture'],
  ['that is a stream', { type: 'text/event-stream' }, '/cat.png', 'sent no picture'],
])(
  'given a picture %s, when sent to Ollama, then it is refused by name',
  async (_what, picture, path, says) => {
    ollama(picture)
    const response = await relay.post('/v1/chat/completions', chat(image(upstream.url + path)))
    expect(response.status).toBe(400)
    const { error } = JSON.parse(await response.text())
    expect(error).toMatchObject({ code: 'unsupported_by_channel', param: 'messages' })
    expect(error.message).toContain(says)
    expect(sent()).toBeUndefined()
    expect(relay.holds).toMatchObject({ reserved: 0, settled: [] })
  },
)

test('given a long request with a picture by address, when sent to Ollama, then it is refused', async () => {
  ollama()
  const body = chat(image(`${upstream.url}/cat.png`))
  const long = {
    ...body,
    messages: [{ role: 'system', content: 'x'.repeat(1_100_000) }, ...body.messages],
  }
  relay.holds.available = 100_000_000
  const response = await relay.post('/v1/chat/completions', long)
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('send them as data URLs')
})
