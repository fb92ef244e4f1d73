import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asDocumented } from './as-documented.ts'
import { differencesOf } from './differences.ts'
import { INTENDED, type Intended } from './intended.ts'
import { areAllAvailable, CLIENTS, isAvailable, observe } from './observe.ts'
import { CLAUDE_RECORDINGS } from './recordings/claude.ts'
import { GEMINI_RECORDINGS } from './recordings/gemini.ts'
import { RECORDINGS as OPENAI_RECORDINGS } from './recordings/recordings.ts'
import { RESPONSES_RECORDINGS } from './recordings/responses.ts'

/** Clients of today and yesterday see through Tollgate what they see of the provider itself. */
const RECORDINGS = [
  ...OPENAI_RECORDINGS,
  ...CLAUDE_RECORDINGS,
  ...GEMINI_RECORDINGS,
  ...RESPONSES_RECORDINGS,
]
/** In addresses of the provider as a client sees it without Tollgate. */
const DIRECT = 'direct'
/** Intended differences that some client met. */
const met = new Set<Intended>()
let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
  upstream.behave((response, { path, text: asked }) => {
    const [, name, isDirect] = path.split('/')
    const recording = RECORDINGS.find((one) => one.name === name)
    if (recording === undefined) throw new Error(`no recording answers ${path}`)
    const body = isDirect === DIRECT ? asDocumented(recording, asksForUsage(asked)) : recording.body
    response.writeHead(recording.status, recording.headers).end(body)
  })
  relay.directory.set({
    ModelRatio: JSON.stringify(Object.fromEntries(RECORDINGS.map(({ name }) => [name, 1]))),
  })
  for (const [at, { name, type }] of RECORDINGS.entries()) {
    relay.directory.add(at + 1, {
      type,
      baseUrl: `${upstream.url}/${name}`,
      models: [name],
      other: '2025-04-01-preview',
    })
  }
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})

const PROTOCOLS = ['openai', 'claude', 'gemini', 'responses']
const NAMED = CLIENTS.map((client) => [`${client.name} (${client.language})`, client] as const)

test.for(NAMED)(
  '%s sees through Tollgate what it sees of the provider',
  async ([, client], { skip }) => {
    const { language } = client
    skip(!isAvailable(language), `no clients in ${language}: npm test says why`)
    const cases = RECORDINGS.flatMap(({ name, kinds, protocol }) =>
      kinds.map((kind) => ({ name, kind, protocol })),
    )
    const asked = cases.flatMap(({ name, kind, protocol }) => [
      {
        id: `${name} ${kind} direct`,
        baseURL: `${upstream.url}/${name}/${DIRECT}/v1`,
        apiKey: 'k',
        model: name,
        kind,
        protocol,
      },
      {
        id: `${name} ${kind} relayed`,
        baseURL: `${relay.url}/v1`,
        apiKey: `sk-${KEY}`,
        model: name,
        kind,
        protocol,
      },
    ])
    const seen = await observe(client, asked)
    const found: string[] = []
    for (const { name, kind } of cases) {
      const direct = seen.get(`${name} ${kind} direct`)
      const relayed = seen.get(`${name} ${kind} relayed`)
      if (direct === undefined && relayed === undefined) continue
      for (const difference of differencesOf(direct, relayed)) {
        const intended = INTENDED.find(
          (one) => (one.recordings?.includes(name) ?? true) && one.difference.test(difference),
        )
        if (intended === undefined) found.push(`${name} ${kind}: ${difference}`)
        else met.add(intended)
      }
    }
    const [plain] = PROTOCOLS.flatMap((one) => seen.get(`${one}-whole chat direct`) ?? [])
    expect(JSON.stringify(plain)).toContain('Hello')
    expect(seen.size).toBeGreaterThan(20)
    expect(found).toEqual([])
  },
)

const asksForUsage = (body: string): boolean => {
  const { stream_options: options } = JSON.parse(body) as {
    stream_options?: { include_usage?: boolean }
  }
  return options?.include_usage === true
}

// Some are met by clients of one language alone.
test.skipIf(!areAllAvailable())('every difference that is listed as intended is met', () => {
  expect(INTENDED.filter((one) => !met.has(one)).map(({ why }) => why)).toEqual([])
})
