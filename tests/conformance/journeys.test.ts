import type { ServerResponse } from 'node:http'
import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'
import { googleUnderTest } from '../support/relay/google-under-test.ts'
import { LOOP_UPSTREAMS, TOKENS } from '../support/relay/tool-loop-upstreams.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pythonPath } from '../support/python.ts'
import { JOURNEYS, observe } from './observe.ts'

/** The vendors' SDKs and agents go through Tollgate to providers of every protocol; then the books balance. */
const { openai, 'vertex-llama': _, ...others } = LOOP_UPSTREAMS
const PROVIDERS = Object.entries({
  openai,
  azure: { ...openai, type: 3 },
  ...others,
}).map(([name, { type, provider }]) => ({
  name,
  type,
  provider,
  asked: `${name}-${provider.model}`,
}))
const AWS_KEY = 'AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1'
const google = googleUnderTest()
/** What Azure's address of responses has besides OpenAI's. */
const AZURE_RESPONSES = /^openai\/(?=v1\/responses)|(?<=^openai\/v1\/responses)\?.*/gu
const ROUNDS = 20
const FUNDS = 1_000_000
/** With a ratio of 1 and three times that for output. */
const COST = TOKENS.input + 3 * TOKENS.output
const CITY = { city: 'Bern' }
const VECTOR = [0.25, -2]
/** That of journey.js, in the alphabet that all providers read. */
const PICTURE = 'DUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=='
let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  upstream.behave((response, asked) => {
    const [, name, ...path] = asked.path.split('/')
    if (google.answersToken(response, asked)) return
    const { provider } = PROVIDERS.find((one) => one.name === name) ?? openai
    const kind = /Do (?<kind>\w+)\./.exec(asked.text)?.groups?.['kind']
    if (kind === 'embeddings') return json(response, vectorsOf(name, asked.path))
    // Google alone reads both alphabets of base64.
    const said =
      name?.endsWith('gemini') === true
        ? asked.text.replaceAll('_', '/').replaceAll('-', '+')
        : asked.text
    if (kind === 'vision' && !said.includes(PICTURE)) return json(response, {}, 400)
    if (kind === 'schema' && !asked.text.includes('"city"')) return json(response, {}, 400)
    if (kind === 'schema') saysCity(response)
    provider.answer(
      response,
      { ...asked, path: `/${path.join('/').replace(AZURE_RESPONSES, '')}` },
      kind === 'loop' ? ROUNDS : 0,
    )
  })
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => {
  startAfresh(relay, upstream)
  relay.directory.channels.clear()
  const all = (ratio: number): string =>
    JSON.stringify(Object.fromEntries(PROVIDERS.map(({ asked }) => [asked, ratio])))
  relay.directory.set({ RetryTimes: '0', ModelRatio: all(1), CompletionRatio: all(3) })
  const keys = new Map<number, string>([
    [33, AWS_KEY],
    [41, google.key(upstream.url)],
  ])
  for (const [at, { name, type, provider, asked }] of PROVIDERS.entries()) {
    const modelMapping = JSON.stringify({ [asked]: provider.model })
    const baseUrl = `${upstream.url}/${name}`
    const other = type === 41 ? 'us-east5' : ''
    const key = keys.get(type) ?? 'upstream-key'
    relay.directory.add(at + 1, { type, models: [asked], modelMapping, baseUrl, other }, { key })
  }
})

const json = (response: ServerResponse, body: object, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Vectors in the shape of the provider. */
const vectorsOf = (name: string | undefined, path: string): object =>
  name === 'gemini'
    ? path.includes(':batchEmbedContents')
      ? { embeddings: [{ values: VECTOR }] }
      : { embedding: { values: VECTOR } }
    : {
        object: 'list',
        model: openai.provider.model,
        data: [{ object: 'embedding', index: 0, embedding: VECTOR }],
        usage: { prompt_tokens: TOKENS.input, total_tokens: TOKENS.input },
      }

/** Puts an object of the schema where the answer says that it is done. */
function saysCity(response: ServerResponse): void {
  const end = response.end.bind(response)
  const city = JSON.stringify(JSON.stringify(CITY))
  Object.assign(response, { end: (body: string) => end(body.replaceAll('"done"', city)) })
}

/** What each kind of request shows, in every client and at every provider that serves it. */
const SEEN: Readonly<Record<string, (provider: string) => unknown>> = {
  chat: () => 'done',
  stream: () => 'done',
  response: () => 'done',
  'response-stream': () => 'done',
  'response-vision': () => 'done',
  'response-schema': () => CITY,
  vision: () => 'done',
  schema: () => CITY,
  loop: (provider) => ({ rounds: ROUNDS, text: 'done', thought: thoughtOf(provider) }),
  'response-loop': (provider) => ({ rounds: ROUNDS, text: 'done', thought: thoughtOf(provider) }),
  'agent-loop': () => ({ rounds: ROUNDS, text: 'done' }),
  'response-agent-loop': () => ({ rounds: ROUNDS, text: 'done' }),
  embeddings: (provider) => (['openai', 'azure', 'gemini'].includes(provider) ? VECTOR : undefined),
  'gemini-embeddings': (provider) => (provider === 'gemini' ? VECTOR : undefined),
}
/** OpenAI's stand-in tells none. */
const thoughtOf = (provider: string): string | null =>
  ['openai', 'azure', 'deepseek'].includes(provider) ? null : 'thought 1'

const CASES = PROVIDERS.flatMap(({ name, asked }) =>
  Object.entries(SEEN).flatMap(([kind, seenAt]) => {
    const seen = seenAt(name)
    return seen === undefined ? [] : [{ id: `${kind} at ${name}`, model: asked, kind, seen }]
  }),
)

test.for(JOURNEYS.map((client) => [`${client.name} (${client.language})`, client] as const))(
  '%s goes through all providers, and the books balance',
  async ([, client], { skip }) => {
    skip(client.language === 'Python' && pythonPath() === undefined, 'no Python: npm test says why')
    const at = { baseURL: `${relay.url}/v1`, apiKey: `sk-${KEY}` }
    const protocols = ['openai', 'claude', 'gemini'] as const
    const jobs = protocols.flatMap((protocol) =>
      CASES.map(({ id, model, kind }) => ({ id, protocol, ...at, model, kind })),
    )
    const seen = await observe(client, jobs)
    const expected = CASES.filter(({ id }) => seen.has(id))
    expect(expected.length).toBeGreaterThanOrEqual(PROVIDERS.length)
    expect(Object.fromEntries(seen)).toEqual(
      Object.fromEntries(expected.map((one) => [one.id, one.seen])),
    )
    const { settled, available, reserved } = relay.holds
    const amounts = settled.map(({ amount }) => amount)
    expect(amounts).toHaveLength(upstream.asked.filter(({ path }) => path !== '/token').length)
    const chats = settled.filter(({ request }) => request.usage.textOut > 0)
    expect(new Set(chats.map(({ amount }) => amount))).toEqual(new Set([COST]))
    expect({ available, reserved }).toEqual({
      available: FUNDS - amounts.reduce((sum, amount) => sum + amount, 0),
      reserved: 0,
    })
    expect([relay.failures, relay.logged]).toEqual([[], []])
  },
)
