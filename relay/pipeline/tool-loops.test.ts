import { userId } from '@tollgate/domain/ids.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { nativelyServedBy } from '../channel-fit.ts'
import type { Mode } from '../channel-types.ts'
import { googleUnderTest } from '@tollgate/tests/support/relay/google-under-test.ts'
import {
  type Asked,
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
  TOKEN,
  USER,
} from '@tollgate/tests/support/relay/relay-under-test.ts'
import {
  LOOP_CLIENTS,
  type LoopClient,
  type Options,
  type Round,
} from '@tollgate/tests/support/relay/tool-loop-clients.ts'
import { LOOP_UPSTREAMS, TOKENS } from '@tollgate/tests/support/relay/tool-loop-upstreams.ts'

/** Loops of one tool through every pair of protocols; clients send back no thought, but in their own protocol. */
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

const ROUNDS = 20
const AWS_KEY = 'AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1'
const google = googleUnderTest()
/** With a ratio of 1 and three times that for output: 100 + 3 × 10. */
const COST = TOKENS.input + 3 * TOKENS.output

const MODES = {
  openai: 'chat',
  claude: 'messages',
  gemini: 'generate-content',
  responses: 'responses',
} as const satisfies Record<keyof typeof LOOP_CLIENTS, Mode>
const clients = Object.keys(MODES) as Array<keyof typeof MODES>
const upstreams = Object.keys(LOOP_UPSTREAMS) as Array<keyof typeof LOOP_UPSTREAMS>
const pairs = clients.flatMap((client) => upstreams.map((provider) => [client, provider] as const))

function serve(
  name: keyof typeof LOOP_UPSTREAMS,
  rounds: number,
  ask: (asked: Asked) => Asked = (asked) => asked,
): string {
  const { type, provider } = LOOP_UPSTREAMS[name]
  const { model } = provider
  relay.directory.channels.clear()
  const keys = new Map<number, string>([
    [33, AWS_KEY],
    [41, google.key(upstream.url)],
  ])
  const other = type === 41 ? 'us-east5' : ''
  const terms = { type, models: [model], baseUrl: upstream.url, other }
  relay.directory.add(1, terms, { key: keys.get(type) ?? 'upstream-key' })
  const ratios = { ModelRatio: { [model]: 1 }, CompletionRatio: { [model]: 3 } }
  relay.directory.set({
    RetryTimes: '0',
    ...Object.fromEntries(
      Object.entries(ratios).map(([name, table]) => [name, JSON.stringify(table)]),
    ),
  })
  upstream.behave((response, asked) => {
    if (google.answersToken(response, asked)) return
    provider.answer(response, ask(asked), rounds)
  })
  return model
}

/** The same question for a whole answer. */
const withoutStream = ({ path, text, ...asked }: Asked): Asked => ({
  ...asked,
  path: path
    .replace('-with-response-stream', '')
    .replace(/:stream(?<method>\w)/, (_, method: string) => `:${method.toLowerCase()}`),
  text: text.replace('"stream":true', '"stream":false'),
})

/** The same question for a stream. */
const withStream = ({ path, text, ...asked }: Asked): Asked => ({
  ...asked,
  path: path
    .replace(/\/invoke$/, '/invoke-with-response-stream')
    .replace(':rawPredict', ':streamRawPredict')
    .replace(':generateContent', ':streamGenerateContent'),
  text: JSON.stringify({ ...(JSON.parse(text) as object), stream: true }),
})

async function ask(
  client: LoopClient,
  model: string,
  rounds: readonly Round[],
  options: Options,
  question = 'Add up.',
): Promise<Round['answered']> {
  const body = client.body(model, question, rounds, options)
  const response = await relay.post(client.path(model, options.stream), body, client.headers)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  return client.read(text, options.stream)
}

test.each(pairs)(
  'given a %s client at %s, when it loops 20 times, then no thought is lost and all is paid',
  async (name, provider) => {
    const client = LOOP_CLIENTS[name]
    const model = serve(provider, ROUNDS)
    const { type } = LOOP_UPSTREAMS[provider]
    const echoes = nativelyServedBy({ type, models: [model] }).includes(MODES[name])
    const rounds: Round[] = []
    for (;;) {
      const answered = await ask(client, model, rounds, { stream: rounds.length % 2 === 0, echoes })
      if (answered.call === null) {
        expect(answered.text).toBe('done')
        break
      }
      expect(answered.call.n).toBe(rounds.length + 1)
      rounds.push({ answered, result: `sum ${answered.call.n}` })
    }
    expect(rounds).toHaveLength(ROUNDS)
    const { settled, available, reserved } = relay.holds
    expect(settled.map(({ amount }) => amount)).toEqual(
      Array.from({ length: ROUNDS + 1 }, () => COST),
    )
    expect(settled.some(({ request }) => request.thinkingLost === true)).toBe(false)
    expect({ available, reserved }).toEqual({
      available: 1_000_000 - COST * (ROUNDS + 1),
      reserved: 0,
    })
    expect(relay.failures).toEqual([])
  },
)

test.each(
  pairs.flatMap(([client, provider]) => [
    [client, provider, 'at once', withoutStream, true] as const,
    [client, provider, 'by streams alone', withStream, false] as const,
  ]),
)(
  'given a %s client at %s that answers %s, when it loops, then it gets what it asked for',
  async (name, provider, _how, asUpstreamDoes, stream) => {
    const client = LOOP_CLIENTS[name]
    const model = serve(provider, 2, asUpstreamDoes)
    const { type } = LOOP_UPSTREAMS[provider]
    const echoes = nativelyServedBy({ type, models: [model] }).includes(MODES[name])
    const rounds: Round[] = []
    for (;;) {
      const answered = await ask(client, model, rounds, { stream, echoes })
      if (answered.call === null) {
        expect(answered.text).toBe('done')
        break
      }
      rounds.push({ answered, result: `sum ${rounds.length + 1}` })
    }
    expect(rounds).toHaveLength(2)
    const charged = relay.holds.settled.map(({ amount, request }) => [amount, request.stream])
    expect(charged).toEqual(Array.from({ length: 3 }, () => [COST, stream]))
    expect(relay.failures).toEqual([])
  },
)

test.each([
  ['openai', 'claude'],
  ['responses', 'gemini'],
] as const)(
  'given a long prompt of a %s client at %s, when read in a thread, then thoughts are put back',
  async (name, provider) => {
    const client = LOOP_CLIENTS[name]
    const model = serve(provider, 2)
    const question = `Add up. ${'x'.repeat(300_000)}`
    const rounds: Round[] = []
    for (const stream of [true, false]) {
      const answered = await ask(client, model, rounds, { stream, echoes: false }, question)
      rounds.push({ answered, result: `sum ${rounds.length + 1}` })
    }
    const last = await ask(client, model, rounds, { stream: true, echoes: false }, question)
    expect(last.text).toBe('done')
  },
)

test('given calls of another account, when it goes on with them, then thinking is off and its row says so', async () => {
  const client = LOOP_CLIENTS.openai
  const model = serve('claude', 2)
  const options = { stream: false, echoes: false }
  const answered = await ask(client, model, [], options)
  relay.directory.tokens.set(KEY, { ...TOKEN, user: { ...USER, id: userId(8) } })
  await ask(client, model, [{ answered, result: 'sum 1' }], options)
  relay.directory.tokens.set(KEY, TOKEN)
  expect(JSON.parse(upstream.asked.at(-1)?.text ?? '')).not.toHaveProperty('thinking')
  expect(relay.holds.settled.map(({ request }) => request.thinkingLost)).toEqual([undefined, true])
})
