import type { ServerResponse } from 'node:http'
import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  FAILING_CHANNELS,
  type FailingProtocol,
  protocolAt,
  refuse,
  SAID,
} from '@tollgate/tests/support/relay/failing-upstreams.ts'
import { eventsIn, FAILING_CLIENTS } from '@tollgate/tests/support/relay/failing-clients.ts'
import { googleUnderTest } from '@tollgate/tests/support/relay/google-under-test.ts'
import {
  eventually,
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '@tollgate/tests/support/relay/relay-under-test.ts'
import { LOOP_CLIENTS } from '@tollgate/tests/support/relay/tool-loop-clients.ts'

/** Every fault of an upstream through every pair of protocols; the pairs of a fault run at once. */
let relay: RelayUnderTest
let upstream: FakeUpstream

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
})
afterAll(async () => {
  // Clients keep connections that have had no request yet; the server would wait for them.
  relay.app.server.closeAllConnections()
  await relay.close()
  await upstream.close()
})

const AWS_SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const PLAIN_KEY = 'upstream-key-of-ours'
/** The id of the account's private key. */
const GOOGLE_SECRET = 'f'.repeat(40)
const google = googleUnderTest()

type ClientName = keyof typeof FAILING_CLIENTS
type UpstreamName = keyof typeof FAILING_CHANNELS
const clients = Object.keys(FAILING_CLIENTS) as ClientName[]
const upstreams = Object.keys(FAILING_CHANNELS) as UpstreamName[]

beforeEach(() => {
  startAfresh(relay, upstream)
  relay.directory.channels.clear()
  const ratios = new Map<string, number>()
  for (const [index, name] of upstreams.entries()) {
    const { type, model } = FAILING_CHANNELS[name]
    const other = type === 41 ? 'us-east5' : ''
    const terms = { type, models: [model], baseUrl: upstream.url, other }
    const keys = new Map<number, string>([
      [33, `AKIDEXAMPLE|${AWS_SECRET}|us-east-1`],
      [41, google.key(upstream.url)],
    ])
    relay.directory.add(index + 1, terms, { key: keys.get(type) ?? PLAIN_KEY })
    ratios.set(model, 1)
  }
  relay.directory.set({
    RetryTimes: '0',
    ModelRatio: JSON.stringify(Object.fromEntries(ratios)),
    CompletionRatio: JSON.stringify(Object.fromEntries([...ratios.keys()].map((m) => [m, OUT]))),
  })
})
/** An output token costs as much as three of the prompt. */
const OUT = 3

/** The upstream of one request that is to fail. */
interface Failing {
  readonly response: ServerResponse
  readonly protocol: FailingProtocol
  /** In the message of each error. */
  readonly message: string
}
interface Fault {
  readonly name: string
  readonly forms: readonly Form[]
  fail(failing: Failing): void
  /** The answer's, which is 200 once content was delivered. */
  readonly status: number
  /** Our code of the failure; null = upstream's own. */
  readonly code: string | null
  /** The status in the failure's row, where the answer was 200 already. */
  readonly failedStatus?: number
  readonly retryAfter?: string
  readonly firstByteMs?: number
}
type Form = 'whole' | 'stream'
const BOTH = ['whole', 'stream'] as const

/** A stream of which `pieces` come, sent before it goes on. */
function begin(
  { response, protocol }: Failing,
  pieces: readonly (string | Buffer)[],
  next: () => void,
): void {
  response.writeHead(200, { 'content-type': protocol.streamType })
  response.write(Buffer.concat(pieces.map((piece) => Buffer.from(piece))), next)
}
const begun = (failing: Failing, next: () => void): void =>
  begin(failing, [failing.protocol.begun], next)
const midway = (failing: Failing, next: () => void): void =>
  begin(failing, [failing.protocol.begun, ...failing.protocol.content], next)

const answered = (status: number, more: Readonly<Record<string, string>> = {}) => ({
  forms: BOTH,
  status,
  code: null,
  fail: ({ response, protocol, message }: Failing) =>
    refuse(response, protocol, [status, message, more]),
})
const json = ({ response }: Failing, text: string): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(text)

/** Before anything was delivered: an answer of that status, and no charge. */
const EARLY: readonly Fault[] = [
  { name: 'refuses the request', ...answered(400) },
  { name: 'does not know its key', ...answered(401) },
  { name: 'has too many requests', ...answered(429, { 'retry-after': '7' }), retryAfter: '7' },
  { name: 'fails', ...answered(500) },
  {
    name: 'tells an error with a status of 200',
    forms: ['whole'],
    status: 400,
    code: null,
    fail: (failing) =>
      json(failing, JSON.stringify(failing.protocol.refusalWithin(failing.message))),
  },
  {
    name: 'answers with a page',
    forms: BOTH,
    status: 502,
    code: 'bad_response_body',
    fail: (failing) => json(failing, '<html>'),
  },
  {
    name: 'breaks the connection',
    forms: BOTH,
    status: 502,
    code: 'upstream_broken',
    fail: ({ response }) => void response.destroy(),
  },
  {
    name: 'breaks off within its body',
    forms: ['whole'],
    status: 502,
    code: 'upstream_broken',
    fail: ({ response, protocol }) => {
      const text = JSON.stringify(protocol.whole)
      const headers = { 'content-type': 'application/json', 'content-length': text.length }
      response.writeHead(200, headers).write(text.slice(0, -9), () => response.destroy())
    },
  },
  {
    name: 'is too slow',
    forms: BOTH,
    status: 504,
    code: 'upstream_timeout',
    firstByteMs: 150,
    fail: () => undefined,
  },
  {
    name: 'tells an error at once',
    forms: ['stream'],
    status: 429,
    code: null,
    fail: (failing) => {
      const { response, protocol, message } = failing
      begun(failing, () => response.end(protocol.error(message)))
    },
  },
  {
    name: 'ends before its content',
    forms: ['stream'],
    status: 502,
    code: 'bad_response_body',
    fail: (failing) => begun(failing, () => failing.response.end()),
  },
  {
    name: 'breaks off before its content',
    forms: ['stream'],
    status: 502,
    code: 'upstream_broken',
    fail: (failing) => begun(failing, () => failing.response.destroy()),
  },
  {
    name: 'falls silent before its content',
    forms: ['stream'],
    status: 504,
    code: 'upstream_timeout',
    fail: (failing) => begun(failing, () => undefined),
  },
]

/** Within a stream: an event with the error, and what was delivered is charged. */
const LATE: readonly Fault[] = [
  {
    name: 'tells an error',
    forms: ['stream'],
    status: 200,
    code: null,
    failedStatus: 429,
    fail: (failing) => {
      const { response, protocol, message } = failing
      midway(failing, () => response.end(protocol.error(message)))
    },
  },
  {
    name: 'breaks off',
    forms: ['stream'],
    status: 200,
    code: 'upstream_broken',
    failedStatus: 502,
    // Node gives the bytes to the system before it closes, but may drop them if it destroys at once.
    fail: (failing) => midway(failing, () => failing.response.socket?.destroySoon()),
  },
  {
    name: 'ends too early',
    forms: ['stream'],
    status: 200,
    code: 'bad_response_body',
    failedStatus: 502,
    fail: (failing) => midway(failing, () => failing.response.end()),
  },
  {
    name: 'turns to garbage',
    forms: ['stream'],
    status: 200,
    code: 'bad_response_body',
    failedStatus: 502,
    fail: (failing) => midway(failing, () => failing.response.end(failing.protocol.garbage)),
  },
  {
    name: 'falls silent',
    forms: ['stream'],
    status: 200,
    code: 'upstream_timeout',
    failedStatus: 504,
    fail: (failing) => midway(failing, () => undefined),
  },
]
const cases = [...EARLY, ...LATE].flatMap((fault) =>
  fault.forms.map((form) => [form, fault.name, fault] as const),
)

/** The answer and the books of a pair of protocols after a fault. */
interface Outcome {
  readonly status: number
  readonly said: string
  readonly error: string
  readonly retryAfter: string | null
  readonly charges: ReadonlyArray<{ readonly usage: Partial<Usage>; readonly estimated: boolean }>
  readonly failures: ReadonlyArray<{ readonly status: number; readonly code: string }>
}

const ids = new Map<string, { client: ClientName; provider: UpstreamName }>(
  clients.flatMap((client) =>
    upstreams.map((provider) => [`${client}-to-${provider}`, { client, provider }] as const),
  ),
)

function behave(fail: (failing: Failing) => void): void {
  upstream.behave((response, asked) => {
    if (google.answersToken(response, asked)) return
    const { path } = asked
    const secret = path.includes('/projects/')
      ? GOOGLE_SECRET
      : path.startsWith('/model/')
        ? AWS_SECRET
        : PLAIN_KEY
    const protocol = protocolAt(path)
    const message = `it broke at ${secret} today`
    fail({ response, protocol, message })
  })
}

function ask(id: string, form: Form, signal?: AbortSignal): Promise<Response> {
  const { client, provider } = ids.get(id) ?? { client: 'openai', provider: 'openai' }
  const { model } = FAILING_CHANNELS[provider]
  const asking = LOOP_CLIENTS[client]
  const stream = form === 'stream'
  return fetch(relay.url + asking.path(model, stream), {
    method: 'POST',
    headers: {
      authorization: `Bearer sk-${KEY}`,
      'content-type': 'application/json',
      'x-client-request-id': id,
      ...asking.headers,
    },
    body: JSON.stringify(asking.body(model, 'Add up.', [], { stream, echoes: false })),
    ...(signal && { signal }),
  })
}

/** All that came, however the connection ended; true = it broke. */
async function readAll(response: Response): Promise<readonly [string, boolean]> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true })
    return [text, false]
  } catch {
    return [text, true]
  }
}

const booked = (id: string): Pick<Outcome, 'charges' | 'failures'> => ({
  charges: relay.holds.settled
    .filter(({ request }) => request.clientRequestId === id)
    .map(({ amount, request: { usage, estimated } }) => {
      expect(amount).toBe(usage.textIn + OUT * usage.textOut)
      return { usage: { textIn: usage.textIn, textOut: usage.textOut }, estimated }
    }),
  failures: relay.failures
    .filter(({ clientRequestId }) => clientRequestId === id)
    .map(({ status, errorCode }) => ({ status, code: errorCode })),
})

async function outcomeOf(id: string, form: Form): Promise<Outcome> {
  const { client } = ids.get(id) ?? { client: 'openai' }
  const reader = FAILING_CLIENTS[client]
  const response = await ask(id, form)
  const [text, isBroken] = await readAll(response)
  for (const secret of [AWS_SECRET, PLAIN_KEY, GOOGLE_SECRET]) expect(text).not.toContain(secret)
  const { status, headers } = response
  const retryAfter = headers.get('retry-after')
  if (status !== 200) {
    expect(headers.get('content-type')).toBe('application/json')
    const error = reader.error(JSON.parse(text))
    if (error.status !== null) expect(error.status).toBe(status)
    return { status, said: '', error: error.message, retryAfter, ...booked(id) }
  }
  expect(isBroken).toBe(true)
  const events = eventsIn(text)
  const last = events.at(-1)
  if (last === undefined) throw new Error(`${id} has no event: ${text}`)
  const error = reader.errorEvent(last).message
  const said = events.map((event) => reader.text(event)).join('')
  return { status, said, error, retryAfter, ...booked(id) }
}

const NOT_CHARGED: Outcome['charges'] = []
/** Tokens of our own count of this prompt, whichever client words it. */
const A_PROMPT = expect.toSatisfy((tokens: number) => tokens > 0 && tokens < 200)

/** By the protocol that the pair's request came in. */
function chargesFor(id: string): Outcome['charges'] {
  const asked = upstream.asked.find(({ headers }) => headers['x-client-request-id'] === id)
  const { input, output } = protocolAt(asked?.path ?? '').reported
  const usage = { textIn: input ?? A_PROMPT, textOut: output ?? 3 }
  return [{ usage, estimated: input === null || output === null }]
}

test.each(cases)(
  'given a %s answer, when upstream %s, then every client reads it and the books agree',
  async (form, _name, fault) => {
    if (fault.firstByteMs !== undefined) {
      const { settings } = relay.directory
      relay.directory.settings = { ...settings, firstByteMs: fault.firstByteMs }
    }
    behave((failing) => fault.fail(failing))
    const isLate = LATE.includes(fault)
    const outcomes = await Promise.all(
      [...ids.keys()].map(async (id) => [id, await outcomeOf(id, form).catch(String)] as const),
    )
    for (const [id, outcome] of outcomes) {
      expect.soft(outcome, id).toEqual({
        status: fault.status,
        said: isLate ? SAID : '',
        error:
          fault.code === null
            ? expect.stringContaining('it broke at *** today')
            : expect.stringMatching(/upstream/),
        retryAfter: fault.retryAfter ?? null,
        charges: isLate ? chargesFor(id) : NOT_CHARGED,
        failures: [
          { status: fault.failedStatus ?? fault.status, code: fault.code ?? expect.any(String) },
        ],
      })
    }
    const isUnanswered = fault.code === 'upstream_broken' || fault.code === 'upstream_timeout'
    expect(relay.reports).toHaveLength(isUnanswered ? 0 : ids.size)
    const charged = relay.holds.settled.reduce((sum, { amount }) => sum + amount, 0)
    expect(relay.holds).toMatchObject({ reserved: 0, available: 1_000_000 - charged })
  },
)

/** Clients that all leave, once upstream works for each, or each has read what was said. */
async function leave(form: Form, fail: (failing: Failing) => void): Promise<void> {
  const leaving = new AbortController()
  let open = 0
  let heard = ''
  behave((failing) => {
    open += 1
    failing.response.on('close', () => {
      open -= 1
    })
    fail(failing)
  })
  const asked = [...ids.keys()].map(async (id) => {
    const response = await ask(id, form, leaving.signal)
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) heard += decoder.decode(piece, { stream: true })
  })
  await eventually(() => open === ids.size)
  if (form === 'stream') await eventually(() => heard.split(' answer').length > ids.size)
  leaving.abort()
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).not.toContain('fulfilled')
  await eventually(() => open === 0 && relay.failures.length === ids.size)
}

const LEFT: Outcome['failures'] = [{ status: 499, code: 'client_closed_request' }]

test('given clients that wait, when they leave, then upstream is given up and nothing is charged', async () => {
  await leave('whole', () => undefined)
  const expected = [...ids.keys()].map((id) => [id, { charges: NOT_CHARGED, failures: LEFT }])
  expect([...ids.keys()].map((id) => [id, booked(id)])).toEqual(expected)
  expect(relay.holds).toMatchObject({ reserved: 0, available: 1_000_000 })
})

test('given streams, when their clients leave, then upstream is given up and what came is charged', async () => {
  await leave('stream', (failing) => midway(failing, () => undefined))
  const expected = [...ids.keys()].map((id) => [id, { charges: chargesFor(id), failures: LEFT }])
  expect([...ids.keys()].map((id) => [id, booked(id)])).toEqual(expected)
  expect(relay.holds.settled.every(({ request }) => request.cancelled)).toBe(true)
  expect(relay.holds.reserved).toBe(0)
})
