import { KEY } from '../support/relay/relay-under-test.ts'
import { LOOP_CLIENTS } from '../support/relay/tool-loop-clients.ts'
import { setTimeout } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { serve } from './child-process.ts'
import { type Figure, fraction } from './figures.ts'
import { scaled } from './scale.ts'

const STREAMS = 200
const CHUNKS = 200
const EVERY_MS = 25
/** Long enough for the compiler to have seen the code of a pair. */
const WARM_STREAMS = 50
/** Parts of all chunks between which is measured: no stream begins or ends there. */
const BEGUN = 0.25
const ENDING = 0.75
const POLL_MS = 20
const CPU_MICROSECONDS_MAX = 30
const DELAY_MS_MAX = 5

/** Channels by the protocol that they answer in: that of type 43 has no Responses of its own. */
export const PROVIDERS = {
  openai: { type: 43, model: 'deepseek-chat' },
  claude: { type: 14, model: 'claude-sonnet-4-5' },
  gemini: { type: 24, model: 'gemini-3-pro' },
  responses: { type: 1, model: 'gpt-5-mini' },
} as const

/** Use of the thread that serves, and how late its turns were at the 99.9th percentile. */
export interface ServingTime {
  readonly cpuMicroseconds: number
  readonly delayMs: number
  /** Requests that failed since the start. */
  readonly failures: number
}

type ClientName = keyof typeof LOOP_CLIENTS
type Pair = readonly [client: ClientName, provider: keyof typeof PROVIDERS]

const CLIENTS = Object.keys(LOOP_CLIENTS) as ClientName[]
/** Native pairs first: what others are compared with. */
const PAIRS: readonly Pair[] = [
  ...CLIENTS.map((name) => [name, name] as const),
  ...CLIENTS.flatMap((client) =>
    (['openai', 'claude', 'gemini'] as const)
      .filter((provider) => provider !== client)
      .map((provider) => [client, provider] as const),
  ),
]

/** Use of the serving thread by the streams of a pair. */
interface PairTime {
  /** For a chunk. */
  readonly cpuMicroseconds: number
  readonly delayMs: number
}

/**
 * Streams through the relay for each pair of protocols, native and translated, and through a bare pipe, which tells how
 * fast the machine is; all processes are of this run.
 */
export async function pairFigures(say: (line: string) => void): Promise<Figure[]> {
  const chunks = scaled(CHUNKS)
  const upstream = await serve('chunks-process.ts', String(chunks), String(EVERY_MS))
  const native = new Map<ClientName, number>()
  const figures: Figure[] = []
  const agent = new Agent({ connections: STREAMS })
  try {
    const bare = await serve('bare-pipe-process.ts', upstream.url)
    say(`pairs: ${STREAMS} streams through a bare pipe`)
    const least = await timeOf(bare.url, agent, ['openai', 'openai'])
    await bare.stop()
    figures.push(bareFigure(least))
    const relay = await serve('pairs-process.ts', upstream.url)
    try {
      for (const pair of PAIRS) {
        const [client, provider] = pair
        say(`pairs: ${STREAMS} streams of ${provider} to clients of ${client}`)
        const time = await timeOf(relay.url, agent, pair)
        if (client === provider) native.set(client, time.delayMs)
        figures.push(
          figureOf(pair, time, { least, nativeDelayMs: native.get(client) ?? Number.NaN }),
        )
      }
    } finally {
      await relay.stop()
    }
    return figures
  } finally {
    await agent.close()
    await upstream.stop()
  }
}

/** `urls`: of what is measured, and of its ServingTime. */
async function timeOf(urls: string, agent: Agent, pair: Pair): Promise<PairTime> {
  const [url = '', control = ''] = urls.split(' ')
  const reading = async (): Promise<ServingTime> =>
    (await (await request(control)).body.json()) as ServingTime
  const chunks = scaled(CHUNKS)
  const warm = scaled(WARM_STREAMS)
  // All streams of a pair have the same bytes but for their ids, so bytes tell how many chunks came.
  const bytesAChunk = (await streams(url, agent, pair, warm, new Received())) / (warm * chunks)
  const received = new Received()
  const ended = streams(url, agent, pair, STREAMS, received)
  const all = STREAMS * chunks * bytesAChunk
  await Promise.race([received.atLeast(BEGUN * all), ended])
  await reading()
  const from = received.bytes
  await Promise.race([received.atLeast(ENDING * all), ended])
  const { cpuMicroseconds, delayMs, failures } = await reading()
  const measured = (received.bytes - from) / bytesAChunk
  const bytes = await ended
  if (failures > 0) throw new Error(`${failures} requests failed`)
  if (bytes === 0) throw new Error('the streams were empty')
  return { cpuMicroseconds: cpuMicroseconds / measured, delayMs }
}

/** Bytes of so many streams, read to their ends. */
async function streams(
  url: string,
  agent: Agent,
  [client, provider]: Pair,
  count: number,
  received: Received,
): Promise<number> {
  const { model } = PROVIDERS[provider]
  const asked = LOOP_CLIENTS[client]
  const options = { stream: true, echoes: false }
  const read = async (): Promise<void> => {
    const answer = await request(url + asked.path(model, true), {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer sk-${KEY}`,
        ...asked.headers,
      },
      body: JSON.stringify(asked.body(model, 'Go on.', [], options)),
    })
    if (answer.statusCode !== 200) throw new Error(await answer.body.text())
    for await (const piece of answer.body) received.bytes += (piece as Buffer).length
  }
  await Promise.all(Array.from({ length: count }, read))
  return received.bytes
}

/** Bytes that came of several streams. */
class Received {
  bytes = 0

  /** Waits until so many came. */
  async atLeast(bytes: number): Promise<void> {
    while (this.bytes < bytes) await setTimeout(POLL_MS)
  }
}

function bareFigure({ cpuMicroseconds, delayMs }: PairTime): Figure {
  return {
    what: `${STREAMS} streams, bare pipe`,
    measured: `${fraction(cpuMicroseconds)} µs of the thread a chunk, loop delay p99.9 ${fraction(delayMs)} ms`,
    target: '',
    isReached: null,
  }
}

function figureOf(
  [client, provider]: Pair,
  { cpuMicroseconds, delayMs }: PairTime,
  { least, nativeDelayMs }: { readonly least: PairTime; readonly nativeDelayMs: number },
): Figure {
  const isNative = client === provider
  const beside = isNative ? '' : ` (native ${fraction(nativeDelayMs)})`
  const ratio = fraction(cpuMicroseconds / least.cpuMicroseconds)
  return {
    what: `${STREAMS} streams, ${provider} to ${client}${isNative ? ', native' : ''}`,
    measured: `${fraction(cpuMicroseconds)} µs of the thread a chunk (${ratio} × bare), loop delay p99.9 ${fraction(delayMs)} ms${beside}`,
    target: `< ${CPU_MICROSECONDS_MAX} µs, ≤ native + ${DELAY_MS_MAX} ms`,
    isReached: cpuMicroseconds < CPU_MICROSECONDS_MAX && delayMs <= nativeDelayMs + DELAY_MS_MAX,
  }
}
