import { expect, test } from 'vitest'
import { googleUnderTest } from '@tollgate/tests/support/relay/google-under-test.ts'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import type { Asked } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** Vectors of Vertex AI: by `:predict` of its older models, by `:embedContent` of later ones. */
const { relay, upstream } = await openRelayFixture()

const OLDER = 'text-embedding-005'
const LATER = 'gemini-embedding-2'
const AT = '/v1beta1/projects/my-project/locations/us-east5/publishers/google/models'
const prediction = (values: readonly number[], count: number): object => ({
  embeddings: { values, statistics: { token_count: count, truncated: false } },
})

function serve(model: string, body: object, mapped = model): void {
  const google = googleUnderTest()
  relay.directory.set({ RetryTimes: '0', ModelRatio: JSON.stringify({ [model]: 1 }) })
  relay.directory.channels.clear()
  const terms = { type: 41, models: [model], baseUrl: upstream.url, other: 'us-east5' }
  const modelMapping = JSON.stringify({ [model]: mapped })
  relay.directory.add(1, { ...terms, modelMapping }, { key: google.key(upstream.url) })
  upstream.behave((response, asked) => {
    if (google.answersToken(response, asked)) return
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}
const asked = (): Asked | undefined =>
  upstream.asked.find(({ path }) => path.startsWith('/v1beta1'))
const said = (): unknown => JSON.parse(asked()?.text ?? '{}')
const content = (text: string): object => ({ parts: [{ text }] })

test.each([
  ['float', [0.25, -2]],
  ['base64', Buffer.from(new Float32Array([0.25, -2]).buffer).toString('base64')],
])(
  'given OpenAI’s inputs as %s, when predicted, then each is an instance',
  async (format, first) => {
    serve('vectors', { predictions: [prediction([0.25, -2], 4), prediction([1, 2], 3)] }, OLDER)
    const response = await relay.post('/v1/embeddings', {
      model: 'vectors',
      input: ['a', 'b'],
      dimensions: 2,
      encoding_format: format,
    })
    expect(await response.json()).toMatchObject({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: first },
        { object: 'embedding', index: 1 },
      ],
      model: 'vectors',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    })
    expect(asked()?.path).toBe(`${AT}/${OLDER}:predict`)
    expect(asked()?.headers['authorization']).toBe('Bearer ya29.token-1')
    expect(said()).toEqual({
      instances: [{ content: 'a' }, { content: 'b' }],
      parameters: { outputDimensionality: 2 },
    })
    expect(relay.holds.settled).toMatchObject([
      { amount: 7, request: { estimated: false, usage: { textIn: 7, textOut: 0 } } },
    ])
  },
)

test('given contents of Google’s client, when predicted, then they are answered in its shapes', async () => {
  const one = { taskType: 'RETRIEVAL_DOCUMENT', title: 'T', outputDimensionality: 1 }
  const usageMetadata = { promptTokenCount: 4 }
  serve(OLDER, { predictions: [prediction([0.5], 4)] })
  const single = await relay.post(`/v1/models/${OLDER}:embedContent`, {
    model: `models/${OLDER}`,
    content: content('a'),
    ...one,
  })
  expect(await single.json()).toEqual({ embedding: { values: [0.5] }, usageMetadata })
  expect(said()).toEqual({
    instances: [{ content: 'a', task_type: 'RETRIEVAL_DOCUMENT', title: 'T' }],
    parameters: { outputDimensionality: 1 },
  })
  const requests = [{ model: `models/${OLDER}`, content: content('a') }]
  const batch = await relay.post(`/v1beta/models/${OLDER}:batchEmbedContents`, { requests })
  expect(await batch.json()).toEqual({ embeddings: [{ values: [0.5] }], usageMetadata })
  expect(relay.holds.settled).toMatchObject([{ amount: 4 }, { amount: 4 }])
})

test('given a later model, when one content is embedded, then it passes without the model’s name', async () => {
  const picture = { inlineData: { mimeType: 'image/png', data: 'aGk=' } }
  const usageMetadata = { promptTokenCount: 5 }
  serve(LATER, { embedding: { values: [0.5] }, usageMetadata })
  const response = await relay.post(`/v1/models/${LATER}:embedContent`, {
    model: `models/${LATER}`,
    content: { parts: [{ text: 'a' }, picture] },
  })
  expect(await response.json()).toEqual({ embedding: { values: [0.5] }, usageMetadata })
  expect(asked()?.path).toBe(`${AT}/${LATER}:embedContent`)
  expect(said()).toEqual({ content: { parts: [{ text: 'a' }, picture] } })
  expect(relay.holds.settled).toMatchObject([{ amount: 5 }])
})

test('given a later model, when OpenAI’s client asks, then one input is embedded and two are refused', async () => {
  serve(LATER, { embedding: { values: [0.5] }, usageMetadata: { promptTokenCount: 5 } })
  const one = await relay.post('/v1/embeddings', { model: LATER, input: 'a' })
  expect(await one.json()).toMatchObject({
    data: [{ index: 0, embedding: [0.5] }],
    usage: { prompt_tokens: 5 },
  })
  expect(said()).toEqual({ content: content('a') })
  const two = await relay.post('/v1/embeddings', { model: LATER, input: ['a', 'b'] })
  expect(two.status).toBe(400)
  expect(await two.json()).toMatchObject({ error: { param: 'input' } })
})

test.each([
  ['pictures', { parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] }, 'content'],
  ['members of nobody', { parts: [{ text: 'a' }] }, 'mystery'],
])('given %s, when an older model is asked, then 400 names them', async (_what, parts, name) => {
  serve(OLDER, { predictions: [prediction([0.5], 4)] })
  const more = name === 'mystery' ? { mystery: 1 } : {}
  const response = await relay.post(`/v1/models/${OLDER}:embedContent`, { content: parts, ...more })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(name === 'content' ? 'nothing but text' : 'mystery')
  expect(asked()).toBeUndefined()
})

test('given models that have no vectors, and one that has nothing else, when asked, then nobody is', async () => {
  serve('claude-sonnet-4-5-20250929', {})
  const vectors = await relay.post('/v1/embeddings', {
    model: 'claude-sonnet-4-5-20250929',
    input: 'a',
  })
  expect(vectors.status).toBe(501)
  serve(OLDER, {})
  const messages = [{ role: 'user', content: 'hello' }]
  const chat = await relay.post('/v1/chat/completions', { model: OLDER, messages })
  expect(chat.status).toBe(501)
  expect(asked()).toBeUndefined()
})

test('given no vectors, when answered, then it is refused and free', async () => {
  serve(OLDER, { predictions: [] })
  const response = await relay.post('/v1/embeddings', { model: OLDER, input: 'a' })
  expect(response.status).toBe(502)
  expect(relay.holds.settled).toEqual([])
})
