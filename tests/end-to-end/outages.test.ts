import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { DistributedProduct } from '../support/distributed-product.ts'
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/engines/eventstoredb-double/double.ts'
import { type Gateway, startDistributedGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { startLoad } from './load.ts'

/**
 * Engines that are unavailable for long while several processes are under load. `OUTAGE_SECONDS=60` keeps each
 * unavailable for a minute; without, each comes back as soon as new requests are turned away.
 */
const OUTAGE_MS = Number(process.env['OUTAGE_SECONDS'] ?? '0') * 1_000
/** Architecture 6, rule 12: from then on new requests are turned away. */
const REFUSED_MS = 20_000
/** Longer than a relay waits for an owner before it turns a request away. */
const ANSWERED_MS = 12_000
const PROBE_EVERY_MS = 500
const RESUMED_MS = 60_000
/** How many new requests are looked at when an engine is unavailable that they do not need. */
const PROBES_SERVED = 10
const TEST_MS = OUTAGE_MS + 240_000

const MODEL = 'gpt-4'
const LIMIT = 24
const BODY = JSON.stringify({
  model: MODEL,
  max_tokens: LIMIT,
  messages: [{ role: 'user', content: 'One more, please.' }],
})

interface Engine {
  stop(): Promise<void>
  start(): Promise<void>
}

let gateway: Gateway<DistributedProduct>
let key = ''

async function begin(env: Readonly<Record<string, string>>): Promise<void> {
  gateway = await startDistributedGateway({
    models: [MODEL],
    upstream: { answerTokens: () => LIMIT },
    product: { env },
  })
  const user = await gateway.root.addUser('busy', 'long-enough-2', 1_000_000_000)
  key = (await user.createToken({ name: 'main' })).key
}

describe('given a log in PostgreSQL and load,', () => {
  beforeAll(() => begin({}))
  afterAll(() => gateway.stop())

  test.each<[string, () => Engine]>([
    ['NATS', () => gateway.product.nats],
    ['PostgreSQL', () => gateway.product.postgres],
  ])(
    'when %s is away, then new requests are turned away, and afterwards everything resumes by itself',
    { timeout: TEST_MS },
    async (name, engine) => {
      const { finished } = await expectRefused(name, engine())
      await allChargedOnce(finished, chargedInPostgres)
      await booksBalance()
    },
  )
})

describe('given a log in EventStoreDB and load,', () => {
  let double: EventStoreDbDouble
  beforeAll(async () => {
    double = await startEventStoreDbDouble()
    await begin({ EVENTSTORE_URL: double.connectionString })
  })
  afterAll(async () => {
    await gateway.stop()
    await double.close()
  })
  const store: Engine = { stop: () => double.die(), start: () => double.comeBack() }
  const charged = (): Promise<readonly string[]> =>
    Promise.resolve(
      double.log.records
        .filter(({ type }) => type === 'UsageCharged')
        .map(({ data }) => charge.parse(JSON.parse(Buffer.from(data).toString())).request.id),
    )

  test(
    'when the event store is away, then new requests are refused, and later everything resumes',
    { timeout: TEST_MS },
    async () => {
      const { finished } = await expectRefused('the event store', store)
      await allChargedOnce(finished, charged)
      await booksBalance()
    },
  )

  test(
    'when PostgreSQL is away, then relays and owners go on from memory, and every answer is charged once',
    { timeout: TEST_MS },
    async () => {
      const { finished, meanwhile } = await confiscate(
        'PostgreSQL beside it',
        gateway.product.postgres,
        (answers) => answers.length >= PROBES_SERVED,
      )
      expect(meanwhile.filter((answer) => !isWell(answer))).toEqual([])
      await allChargedOnce(finished, charged)
      await booksBalance()
    },
  )
})

const charge = z.object({ request: z.object({ id: z.string() }) })

/** Request ids of all charges in PostgreSQL's log. */
async function chargedInPostgres(): Promise<readonly string[]> {
  const rows = await gateway.product.query(
    `select data::jsonb->'request'->>'id' as id from ledger.events where type = 'UsageCharged'`,
  )
  return (rows as { id: string }[]).map(({ id }) => id)
}

interface Answer {
  readonly id: string
  readonly status: number
  readonly retryAfter: number
  /** Milliseconds since the outage began. */
  readonly sentMs: number
  readonly endedMs: number
}

interface Outage {
  /** Request ids of all answers that clients saw end well, before, during and after. */
  readonly finished: readonly string[]
  /** New requests sent while the engine was unavailable, and answered before it came back. */
  readonly meanwhile: readonly Answer[]
}

async function expectRefused(name: string, engine: Engine): Promise<Outage> {
  const outage = await confiscate(name, engine, (answers) => answers.some(isRefused))
  const first = outage.meanwhile.find(isRefused)
  expect(first?.sentMs).toBeLessThan(REFUSED_MS)
  const after = outage.meanwhile.filter(({ sentMs }) => sentMs > REFUSED_MS)
  expect(after.filter((answer) => !isRefused(answer))).toEqual([])
  expect(after.filter(({ sentMs, endedMs }) => endedMs - sentMs > ANSWERED_MS)).toEqual([])
  return outage
}

/** Takes an engine away under load for so long, and until the probes have seen enough. */
async function confiscate(
  name: string,
  engine: Engine,
  isEnough: (answers: readonly Answer[]) => boolean,
): Promise<Outage> {
  const load = startLoad(ask)
  await load.answered(20)
  const began = performance.now()
  const since = (): number => Math.round(performance.now() - began)
  await engine.stop()
  const probes = startProbes(since)
  let backMs = 0
  try {
    await until(
      `${name} has been away for long enough`,
      () => since() >= OUTAGE_MS && isEnough(probes.answers),
      OUTAGE_MS + 60_000,
    )
  } finally {
    backMs = since()
    probes.stop()
    await engine.start()
  }
  await load.answered(20, RESUMED_MS)
  const resumedMs = since() - backMs
  const { served, refused } = await load.end()
  await probes.ended()
  const meanwhile = probes.answers.filter(({ endedMs }) => endedMs <= backMs)
  const resumed = `resumed ${resumedMs} ms after it was told to start`
  const loaded = `load: ${served.length} served, ${refused.length} not`
  process.stdout.write(`${name} away for ${backMs} ms: ${said(meanwhile)}; ${resumed}; ${loaded}\n`)
  const finished = [...served, ...probes.answers.filter(isWell).map(({ id }) => id)]
  return { finished, meanwhile }
}

/** The outcome of new requests, by status, with how long the slowest took. */
function said(answers: readonly Answer[]): string {
  const kinds = [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => {
    const slowestMs = Math.max(...all.map(({ sentMs, endedMs }) => endedMs - sentMs))
    return `${all.length} × ${status} within ${slowestMs} ms, first after ${all[0]?.sentMs} ms`
  })
  return kinds.join(', ')
}

/** New requests at an even rate, whatever became of those before. */
function startProbes(since: () => number) {
  const answers: Answer[] = []
  const underWay: Promise<void>[] = []
  const timer = setInterval(() => underWay.push(probe()), PROBE_EVERY_MS)
  const probe = async (): Promise<void> => {
    const sentMs = since()
    const answer = await ask()
    answers.push({ ...answer, sentMs, endedMs: since() })
  }
  return {
    answers,
    /** Those under way go on: who waits for the engine waits until it is back. */
    stop: () => clearInterval(timer),
    ended: () => Promise.all(underWay),
  }
}

const isRefused = ({ status, retryAfter }: Answer): boolean => status === 503 && retryAfter > 0
const isWell = ({ status }: { readonly status: number }): boolean => status === 200

async function ask(): Promise<Pick<Answer, 'id' | 'status' | 'retryAfter'>> {
  const response = await gateway.relay('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: BODY,
  })
  await response.text()
  const { status, headers } = response
  const id = headers.get('x-oneapi-request-id') ?? ''
  return { id, status, retryAfter: Number(headers.get('retry-after')) }
}

async function allChargedOnce(
  finished: readonly string[],
  charged: () => Promise<readonly string[]>,
): Promise<void> {
  await until(
    'every charge is in the log',
    async () => {
      const ids = await charged()
      const known = new Set(ids)
      expect(ids.length).toBe(known.size)
      return finished.every((id) => known.has(id))
    },
    30_000,
  )
}

/** Every hold has ended, and every figure of the read models is what the ledger says. */
async function booksBalance(): Promise<void> {
  await until(
    'every hold has ended',
    async () => (await gateway.product.query('select 1 from balances.holds')).length === 0,
    90_000,
  )
  let seen: z.infer<typeof job> | null = null
  await until(
    'read models and ledger agree',
    async () => {
      const { id } = await gateway.root.ask('POST', '/api/audit/reconcile', job, {})
      await until(
        'the comparison has ended',
        async () => {
          seen = await gateway.root.ask('GET', `/api/audit/jobs/${id}`, job)
          return seen.status !== 'running'
        },
        COMPARED_MS,
      )
      return seen?.result?.differences === 0
    },
    COMPARED_MS,
  ).catch((error: unknown) => {
    throw new Error(`the books do not balance: ${JSON.stringify(seen)}`, { cause: error })
  })
}

/** A long outage under load leaves some ten thousand charges, which an event store gives out page by page. */
const COMPARED_MS = 90_000

const job = z.object({
  id: z.string(),
  status: z.string(),
  result: z.looseObject({ differences: z.number() }).nullable(),
})
