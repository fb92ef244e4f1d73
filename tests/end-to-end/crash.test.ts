import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { expectBalancedBooks } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import type { Gateway } from '../support/gateway.ts'
import type { SingleProduct } from '../support/product.ts'
import { startSingleGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/**
 * kill -9 under load, then start again: every request that a client saw finish is charged exactly once, nobody pays
 * for one that upstream never answered, and every event that was there is still there.
 */
let gateway: Gateway<SingleProduct>
let user: ConsoleClient
let key: string

const MODEL = 'gpt-4o-mini'
const CLIENTS = 16

beforeAll(async () => {
  gateway = await startSingleGateway({ models: [MODEL] })
  user = await gateway.root.addUser('crashing', 'long-enough-2', 50_000_000)
  key = (await user.createToken({ name: 'crashing' })).key
})
afterAll(() => gateway.stop())

test.each(['alone', 'everything'] as const)(
  'given load, when the process is killed (%s) and restarted, then no event is lost or doubled',
  async (what) => {
    const load = startLoad()
    await until('the load runs', () => load.finished.length > 200)
    const before = await eventIds()
    await gateway.product.kill(what)
    await load.stop()
    await gateway.product.start()

    const after = new Set(await eventIds())
    expect(before.filter((id) => !after.has(id))).toEqual([])
    const charged = await chargedRequests()
    expect(repeated(charged)).toEqual([])
    const known = new Set(charged)
    expect(load.finished.filter((id) => !known.has(id))).toEqual([])
    expect(charged.length).toBeLessThanOrEqual(gateway.upstream.received())
    // It serves again, with the same token, and the holds of the run that died are closed.
    expect((await request(new AbortController().signal)).isFinished).toBe(true)
    await until(
      'every hold of the killed run has ended',
      async () => (await holdsOfOtherRuns()) === 0,
      45_000,
    )
  },
)

test('after all of it, ledger, log and balances agree', () =>
  expectBalancedBooks(gateway.product, gateway.root, [user]))

interface Load {
  /** Request ids of the answers that were read to their end. */
  readonly finished: readonly string[]
  stop(): Promise<void>
}

/** Clients that ask without a pause, half of them streaming, and remember what they saw finish. */
function startLoad(): Load {
  const stopping = new AbortController()
  const finished: string[] = []
  const work = async (stream: boolean): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { id, isFinished } = await request(stopping.signal, stream)
      if (isFinished) finished.push(id)
      else await sleep(20)
    }
  }
  const workers = Array.from({ length: CLIENTS }, (_, index) => work(index % 2 === 0))
  return {
    finished,
    stop: async () => {
      stopping.abort()
      await Promise.all(workers)
    },
  }
}

/** One request; finished means that the whole answer was read, to `[DONE]` when streamed. */
async function request(
  signal: AbortSignal,
  stream = false,
): Promise<{ id: string; isFinished: boolean }> {
  try {
    const answer = await fetch(`${gateway.product.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, stream, messages: [{ role: 'user', content: 'x' }] }),
      signal,
    })
    const text = await answer.text()
    const isWhole = stream ? text.includes('data: [DONE]') : text.endsWith('}')
    return {
      id: answer.headers.get('x-oneapi-request-id') ?? '',
      isFinished: answer.ok && isWhole,
    }
  } catch {
    // The product was killed under this request, or the load is being stopped: not finished, whatever the reason.
    return { id: '', isFinished: false }
  }
}

async function eventIds(): Promise<string[]> {
  const rows = await gateway.product.query('select id::text from ledger.events order by position')
  return z
    .array(z.object({ id: z.string() }))
    .parse(rows)
    .map(({ id }) => id)
}

async function chargedRequests(): Promise<string[]> {
  const rows = await gateway.product.query(
    "select data::jsonb->'request'->>'id' as id from ledger.events where type = 'UsageCharged'",
  )
  return z
    .array(z.object({ id: z.string() }))
    .parse(rows)
    .map(({ id }) => id)
}

/** Open holds that belong to no relay run but the newest. */
async function holdsOfOtherRuns(): Promise<number> {
  const rows = await gateway.product.query(`
    with held as (
      select data::jsonb->>'hold' as hold, data::jsonb->>'relay' as relay, position
      from ledger.events where type = 'QuotaHeld'
    ), ended as (
      select data::jsonb->>'hold' as hold from ledger.events where type in ('HoldReleased', 'HoldExpired')
    )
    select count(*)::int as open from held
    where hold not in (select hold from ended)
      and relay <> (select relay from held order by position desc limit 1)`)
  return z.array(z.object({ open: z.number() })).parse(rows)[0]?.open ?? 0
}

function repeated(ids: readonly string[]): string[] {
  const seen = new Set<string>()
  return ids.filter((id) => seen.size === seen.add(id).size)
}
