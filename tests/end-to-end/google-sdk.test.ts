import { ApiError, type Content, GoogleGenAI } from '@google/genai'
import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

/** Google's own SDK through the relay, to a stand-in of Google's API. */
let relay: RelayUnderTest
let upstream: FakeUpstream
let client: GoogleGenAI

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  client = new GoogleGenAI({ apiKey: `sk-${KEY}`, httpOptions: { baseUrl: relay.url } })
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => {
  startAfresh(relay, upstream)
  relay.directory.set({ ModelRatio: JSON.stringify({ [MODEL]: 1 }) })
  relay.directory.add(1, { type: 24, models: [MODEL], baseUrl: upstream.url })
})

const MODEL = 'gemini-3-pro'
const { resolve } = createRequire(import.meta.url)
const recorded = (name: string): string =>
  readFileSync(resolve(`@tollgate/tests/support/fixtures/gemini/${name}.sse`), 'utf8')
const streams = (text: string): void =>
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  })
const answers = (status: number, body: object): void =>
  upstream.behave((response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
const usages = (): readonly unknown[] => relay.holds.settled.map(({ request }) => request.usage)

test('given thoughts and text, when streamed, then the SDK reads them and they are charged', async () => {
  streams(recorded('thoughts-and-text'))
  let text = ''
  let finish: unknown
  for await (const chunk of await client.models.generateContentStream({
    model: MODEL,
    contents: 'Hi',
  })) {
    text += chunk.text ?? ''
    finish = chunk.candidates?.[0]?.finishReason ?? finish
  }
  expect([text, finish]).toEqual(['Grüezi Zürich 🌊!', 'STOP'])
  expect(usages()).toMatchObject([{ textIn: 210, cachedIn: 1_000, textOut: 69, reasoningOut: 60 }])
})

test('given calls of functions, when streamed, then the SDK finds ids and signatures', async () => {
  streams(recorded('function-calls'))
  const parts = []
  for await (const chunk of await client.models.generateContentStream({
    model: MODEL,
    contents: 'Hi',
  })) {
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []))
  }
  expect(parts).toEqual([
    { text: 'I look it up.' },
    {
      functionCall: { id: 'call-a', name: 'weather', args: { city: 'Zürich' } },
      thoughtSignature: 'U2lnbmVkQQ==',
    },
    { functionCall: { id: 'call-b', name: 'time', args: {} } },
  ])
})

test('given twenty turns of tools, when answered, then all of them reach Google and each is charged', async () => {
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Count to twenty.' }] }]
  for (let turn = 1; turn <= 20; turn += 1) {
    const call = { id: `call-${turn}`, name: 'next', args: { turn } }
    answers(200, {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ functionCall: call, thoughtSignature: `c2ln${turn}` }],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 10 * turn, candidatesTokenCount: 5 },
    })
    // oxlint-disable-next-line no-await-in-loop -- each turn follows from the one before
    const answer = await client.models.generateContent({ model: MODEL, contents })
    const content = answer.candidates?.[0]?.content
    expect(answer.functionCalls).toEqual([call])
    const response = { id: call.id, name: 'next', response: { turn } }
    contents.push(content ?? {}, { role: 'user', parts: [{ functionResponse: response }] })
  }
  expect(JSON.parse(upstream.asked.at(-1)?.text ?? '')).toMatchObject({
    contents: contents.slice(0, 39),
  })
  expect(usages()).toMatchObject(
    Array.from({ length: 20 }, (_one, turn) => ({ textIn: 10 * (turn + 1), textOut: 5 })),
  )
})

test('given texts, when counted and embedded, then vectors come and only they are charged', async () => {
  answers(200, { totalTokens: 7 })
  expect(await client.models.countTokens({ model: MODEL, contents: 'Hi' })).toMatchObject({
    totalTokens: 7,
  })
  expect(relay.holds.settled).toEqual([])
  answers(200, { embeddings: [{ values: [0.25] }, { values: [0.5] }] })
  const { embeddings } = await client.models.embedContent({
    model: MODEL,
    contents: ['one', 'two'],
  })
  expect(embeddings?.map(({ values }) => values)).toEqual([[0.25], [0.5]])
  expect(relay.holds.settled).toHaveLength(1)
})

test('given an upstream that refuses, when asked, then the SDK raises its status and message', async () => {
  answers(429, { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED' } })
  const failed = await client.models
    .generateContent({ model: MODEL, contents: 'Hi' })
    .catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(ApiError)
  expect(failed).toMatchObject({ status: 429, message: expect.stringContaining('Slow down.') })
  expect(relay.holds.settled).toEqual([])
})

test('given a stream that breaks off, when read, then the SDK raises the error of its last event', async () => {
  const whole = recorded('thoughts-and-text')
  streams(whole.slice(0, whole.lastIndexOf('data: ')))
  const reading = async (): Promise<void> => {
    for await (const chunk of await client.models.generateContentStream({
      model: MODEL,
      contents: 'Hi',
    })) {
      expect(chunk.candidates).toHaveLength(1)
    }
  }
  await expect(reading()).rejects.toThrow('upstream stopped mid-stream')
  expect(usages()).toMatchObject([{ textOut: 68 }])
})

test('given the SDK, when models are listed, then it pages through them', async () => {
  const names = []
  for await (const { name } of await client.models.list()) names.push(name)
  expect(names).toContain(`models/${MODEL}`)
})
