import { charge } from '@tollgate/domain/pricing/charge.ts'
import type { ServerResponse } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { textUntilBreak } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Kinds of tokens with prices of their own: pictures that a model draws, cached audio, cached pictures. */
const { relay, upstream } = await openRelayFixture()

const PAINTER = 'gemini-3-pro-image'
const SPEAKER = 'gpt-audio'
const CHAT = '/v1/chat/completions'
const GENERATE = `/v1beta/models/${PAINTER}:generateContent`
/** Base64 of no picture, which is a picture all the same to whoever does not open it. */
const PICTURE = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }

beforeEach(() => {
  relay.directory.channels.clear()
  relay.directory.set({
    ModelRatio: JSON.stringify({ [PAINTER]: 1, [SPEAKER]: 1.25 }),
    CompletionRatio: JSON.stringify({ [PAINTER]: 6, [SPEAKER]: 4 }),
    CacheRatio: JSON.stringify({ [PAINTER]: 0.1, [SPEAKER]: 0.5 }),
    AudioRatio: JSON.stringify({ [SPEAKER]: 12.8 }),
    CachedAudioRatio: JSON.stringify({ [SPEAKER]: 0.16 }),
    CachedImageRatio: JSON.stringify({ [SPEAKER]: 0.2 }),
    ImageOutRatio: JSON.stringify({ [PAINTER]: 60 }),
  })
})

const serve = (type: number): void => {
  relay.directory.add(1, { type, models: [PAINTER, SPEAKER], baseUrl: upstream.url })
}
const json = (body: object) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const contents = (more: object = {}) => ({ contents: [{ parts: [{ text: 'draw' }] }], ...more })
/** 20 in; 30 of text, 1,120 of a picture and 200 of thoughts out. */
const USAGE = {
  promptTokenCount: 20,
  candidatesTokenCount: 1_150,
  thoughtsTokenCount: 200,
  candidatesTokensDetails: [
    { modality: 'TEXT', tokenCount: 30 },
    { modality: 'IMAGE', tokenCount: 1_120 },
  ],
}
const drawn = (usageMetadata: object = USAGE): object => ({
  candidates: [{ content: { parts: [{ text: 'Here' }, PICTURE] }, finishReason: 'STOP' }],
  usageMetadata,
})

test('given a picture drawn by Gemini, when charged, then it costs by ImageOutRatio and explain says so', async () => {
  serve(24)
  upstream.behave(json(drawn()))
  expect((await relay.post(GENERATE, contents())).status).toBe(200)
  // 20 + 230 × 6 + 1,120 × 60
  const usage = { textIn: 20, textOut: 230, imageOut: 1_120, reasoningOut: 200 }
  expect(relay.holds.settled).toMatchObject([
    { amount: 68_600, request: { usage, price: { imageOutRatio: '60' } } },
  ])
  const [{ request }] = relay.holds.settled as [(typeof relay.holds.settled)[number]]
  const line = charge(request.price, request.usage).explanation.lines.find(
    ({ kind }) => kind === 'image-out',
  )
  expect(line).toMatchObject({ count: 1_120, rate: '60', quota: '67200' })
  expect(line).not.toHaveProperty('pricedAs')
})

test.each([
  ['OpenAI’s words', CHAT, 1],
  ['Google’s words by way of OpenAI’s', CHAT, 24],
])('given a picture told of in %s, when charged, then it costs the same', async (_, path, type) => {
  serve(type)
  upstream.behave(
    json(
      type === 24
        ? drawn()
        : {
            choices: [{ message: { role: 'assistant', content: 'Here' }, finish_reason: 'stop' }],
            usage: {
              prompt_tokens: 20,
              completion_tokens: 1_350,
              completion_tokens_details: { image_tokens: 1_120, reasoning_tokens: 200 },
            },
          },
    ),
  )
  const asked = { model: PAINTER, messages: [{ role: 'user', content: 'draw' }] }
  expect((await relay.post(path, asked)).status).toBe(200)
  expect(relay.holds.settled).toMatchObject([{ amount: 68_600 }])
})

test('given cached audio and pictures, when charged, then each costs by its ratio', async () => {
  serve(1)
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 100,
    prompt_tokens_details: {
      audio_tokens: 300,
      image_tokens: 250,
      cached_tokens: 400,
      cached_tokens_details: { text_tokens: 100, audio_tokens: 200, image_tokens: 100 },
    },
    completion_tokens_details: { audio_tokens: 60 },
  }
  upstream.behave(json({ choices: [{ message: { content: 'Hi' } }], usage }))
  await relay.post(CHAT, { model: SPEAKER, messages: [{ role: 'user', content: 'hello' }] })
  // (350 text + 150 images + 100 audio × 12.8 + 100 × 0.5 + 200 × 0.16 + 100 × 0.2
  //   + 40 × 4 + 60 × 12.8 × 2) × 1.25
  expect(relay.holds.settled).toMatchObject([
    {
      amount: 4_473,
      request: {
        usage: {
          textIn: 350,
          imageIn: 150,
          audioIn: 100,
          cachedIn: 100,
          cachedAudioIn: 200,
          cachedImageIn: 100,
          textOut: 40,
          audioOut: 60,
        },
        price: { cachedAudioRatio: '0.16', cachedImageRatio: '0.2', audioRatio: '12.8' },
      },
    },
  ])
})

test.each([
  ['a limit of 100 tokens', { generationConfig: { maxOutputTokens: 100 } }, 100 * 60],
  // Enough for the largest picture, and for what models reason before.
  ['no limit', {}, 2_520 * 60],
])('given %s, when drawn, then output is reserved at the price of pictures', async (...row) => {
  const [, more, least] = row
  serve(24)
  upstream.behave(json(drawn()))
  relay.holds.available = least
  const refused = await relay.post(GENERATE, contents(more))
  expect(refused.status).toBe(403)
  expect(upstream.asked).toEqual([])
  relay.holds.available = least + 1_000
  expect((await relay.post(GENERATE, contents(more))).status).toBe(200)
  expect(relay.holds.reserved).toBe(0)
})

test('given a free picture beside dear text, when reserved, then at the price of text', async () => {
  serve(24)
  relay.directory.set({
    ModelRatio: JSON.stringify({ [PAINTER]: 1 }),
    CompletionRatio: JSON.stringify({ [PAINTER]: 6 }),
    ImageOutRatio: JSON.stringify({ [PAINTER]: 0 }),
  })
  upstream.behave(json(drawn()))
  await relay.post(GENERATE, contents({ generationConfig: { maxOutputTokens: 100 } }))
  expect(relay.holds.draws[0]).toBeGreaterThanOrEqual(600)
  // 20 + 230 × 6
  expect(relay.holds.settled).toMatchObject([{ amount: 1_400 }])
})

const frame = (parts: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts }, ...more }] })}\n\n`

test('given pictures in a stream, when quota ends, then the one that is not covered is not delivered', async () => {
  serve(24)
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    // The reserve covers 2,520 tokens of pictures: one of 1,290, and not a second one.
    response.write(frame([{ text: 'One' }, PICTURE]))
    response.write(frame([{ text: 'Two' }, PICTURE]))
    response.end(frame([{ text: 'Three' }, PICTURE], { finishReason: 'STOP' }))
  })
  relay.holds.available = 2_520 * 60 + 200
  const path = `/v1beta/models/${PAINTER}:streamGenerateContent?alt=sse`
  const text = await textUntilBreak(await relay.post(path, contents()))
  expect(text).toContain('One')
  expect(text).not.toContain('Three')
  const [{ amount, request }] = relay.holds.settled as [(typeof relay.holds.settled)[number]]
  expect(request).toMatchObject({ cutShort: true, estimated: true, usage: { imageOut: 1_290 } })
  expect(amount).toBeLessThanOrEqual(2_520 * 60 + 200)
  expect(relay.holds.available).toBeGreaterThanOrEqual(0)
})

test('given much text before a picture, when quota covers the text alone, then no picture is delivered', async () => {
  serve(24)
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(frame([{ text: 'word '.repeat(1_500) }]))
    response.write(frame([{ text: 'word '.repeat(400) }]))
    response.end(frame([{ text: 'Last' }, PICTURE], { finishReason: 'STOP' }))
  })
  // Twice the text by its bytes, far beyond the tokens of a picture, and less than half of its price.
  relay.holds.available = 40_000
  const path = `/v1beta/models/${PAINTER}:streamGenerateContent?alt=sse`
  const asked = contents({ generationConfig: { maxOutputTokens: 10 } })
  const text = await textUntilBreak(await relay.post(path, asked))
  expect(text).toContain('word')
  expect(text).not.toContain('Last')
  expect(relay.holds.settled[0]?.request.usage).not.toHaveProperty('imageOut')
  expect(relay.holds.available).toBeGreaterThanOrEqual(0)
})

test('given a picture and no usage, when charged, then our count of it costs by ImageOutRatio', async () => {
  serve(24)
  const { candidates } = drawn() as { candidates: unknown }
  upstream.behave(json({ candidates }))
  await relay.post(GENERATE, contents())
  expect(relay.holds.settled).toMatchObject([
    { request: { estimated: true, usage: { imageOut: 1_290 }, price: { imageOutRatio: '60' } } },
  ])
  expect(relay.holds.settled[0]?.amount).toBeGreaterThan(1_290 * 60)
})

test.each([
  // 20 + 60 × 6 + 1,290 × 60; a picture by our count, the rest is text.
  ['1,350 tokens', 1_350, 0, { textOut: 60, imageOut: 1_290 }, 77_780],
  ['no more than a picture', 1_290, 0, { textOut: 0, imageOut: 1_290 }, 77_420],
  ['less than a picture', 900, 0, { textOut: 0, imageOut: 900 }, 54_020],
  ['thoughts for the most part', 1_350, 1_000, { textOut: 1_000, imageOut: 350 }, 27_020],
])(
  'given a picture among %s in one sum, when charged, then its tokens have the price of pictures',
  async (...row) => {
    const [, completion_tokens, reasoning_tokens, usage, amount] = row
    serve(1)
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }]
    upstream.behave(
      json({
        choices: [{ message: { role: 'assistant', content: '', images }, finish_reason: 'stop' }],
        usage: {
          prompt_tokens: 20,
          completion_tokens,
          completion_tokens_details: { reasoning_tokens },
        },
      }),
    )
    await relay.post(CHAT, { model: PAINTER, messages: [{ role: 'user', content: 'draw' }] })
    expect(relay.holds.settled).toMatchObject([{ amount, request: { estimated: true, usage } }])
  },
)

test('given a picture by a tool of a response, when charged, then its usage stays as it was told', async () => {
  serve(1)
  relay.directory.set({ ModelRatio: JSON.stringify({ [PAINTER]: 1 }) })
  const picture = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AA' }
  upstream.behave(
    json({
      id: 'resp_1',
      object: 'response',
      output: [picture],
      usage: { input_tokens: 20, output_tokens: 2_000, total_tokens: 2_020 },
    }),
  )
  await relay.post('/v1/responses', { model: PAINTER, input: 'draw' })
  const [{ request }] = relay.holds.settled as [(typeof relay.holds.settled)[number]]
  expect(request).toMatchObject({ estimated: false, usage: { textOut: 2_000 } })
  expect(request.usage).not.toHaveProperty('imageOut')
})

test('given a model without a ratio for pictures, when charged, then as text, and explain says so', async () => {
  serve(24)
  relay.directory.set({ ModelRatio: JSON.stringify({ [PAINTER]: 1 }), CompletionRatio: '{}' })
  upstream.behave(json(drawn()))
  await relay.post(GENERATE, contents())
  const [{ request, amount }] = relay.holds.settled as [(typeof relay.holds.settled)[number]]
  // 20 + (230 + 1,120) × 4, the ratio built in for Gemini.
  expect(amount).toBe(5_420)
  const lines = charge(request.price, request.usage).explanation.lines
  expect(lines).toContainEqual(expect.objectContaining({ kind: 'image-out', pricedAs: 'text-out' }))
})
