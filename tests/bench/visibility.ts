import { urlOfRunningPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { startDistributedProduct } from '../support/distributed-product.ts'
import type { Product } from '../support/product-kinds.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'
import { serve } from './child-process.ts'
import { openClients } from './clients.ts'
import type { Figure } from './figures.ts'
import { fraction, whole } from './figures.ts'
import {
  countQuestions,
  endOfLog,
  type HoldEvents,
  holdEvents,
  type Questions,
} from './hold-traffic.ts'
import type { Target } from './http-load.ts'
import { percentile } from './percentiles.ts'
import { scaled } from './scale.ts'
import { type Reader, visiblePosition, watchReadModels } from './seen-positions.ts'
import { type LoadReport, steadyLoad } from './steady-load.ts'

const ACCOUNTS = 8
const RATES = [200, 2_000]
const SECONDS = 6
const WARM_UP = { perSecond: 500, seconds: 3 } as const
const TARGET = { perSecond: 2_000, p99Ms: 250 } as const
/** A load generator that shares the machine may fall behind by this much and still count as the rate wanted. */
const RATE_REACHED = 0.95
/** Events of an account for each request when it is busy: "near 1" (architecture 6). */
const BUSY_EVENTS_MAX = 1.1

/**
 * From a request's last byte to its charge in usage log and balance, and how much the holds cost, at steady load over
 * eight accounts: everything in one process, then two of each kind over NATS.
 */
export async function visibilityFigures(say: (line: string) => void): Promise<Figure[]> {
  const upstream = await serve('stand-in-process.ts')
  try {
    const env = { LOG_LEVEL: 'warn' }
    const single = await startSingleProduct({ env })
    const its = { name: 'one process', natsUrl: null, upstreamUrl: upstream.url }
    const embedded = await measured(single, await databaseOf(single), its, say)
    const several = await startDistributedProduct({ env, isDurable: true })
    const theirs = { ...its, name: '2 of each', natsUrl: several.nats.url }
    return [...embedded, ...(await measured(several, several.databaseUrl, theirs, say))]
  } finally {
    await upstream.stop()
  }
}

interface Surroundings {
  readonly name: string
  /** Null = no NATS between its parts. */
  readonly natsUrl: string | null
  readonly upstreamUrl: string
}

/** All rates on one product, which goes afterwards. */
async function measured(
  product: Product,
  databaseUrl: string,
  { name, natsUrl, upstreamUrl }: Surroundings,
  say: (line: string) => void,
): Promise<Figure[]> {
  const pool = openPool(databaseUrl, { max: 2, applicationName: 'bench' })
  // Taken before the load and kept: later the embedded server may have none left to give.
  const reader = await pool.connect()
  const watcher = await pool.connect()
  const questions = natsUrl === null ? null : await countQuestions(natsUrl)
  try {
    const accounts = await openClients(product, upstreamUrl, ACCOUNTS)
    const targets = product.relayUrls.flatMap((url) => accounts.map(({ key }) => ({ url, key })))
    say(`visibility, ${name}: warming up`)
    await steadyLoad(targets, amountOf(WARM_UP.perSecond, WARM_UP.seconds))
    const figures: Figure[] = []
    for (const perSecond of RATES) {
      say(`visibility, ${name}: ${whole(perSecond)} requests a second`)
      questions?.take()
      const run = await runOnce(reader, watcher, targets, perSecond)
      const where = `${name}, ${whole(perSecond)} req/s`
      figures.push(visibilityFigure(where, perSecond, run), eventsFigure(where, perSecond, run))
      if (questions !== null) figures.push(questionsFigure(where, run, questions.take()))
    }
    return figures
  } finally {
    await questions?.stop()
    reader.release()
    watcher.release()
    await pool.end()
    await product.dispose()
  }
}

async function databaseOf({ dataDir }: SingleProduct): Promise<string> {
  const url = await urlOfRunningPostgres(dataDir)
  if (url === null) throw new Error('the product has no database')
  return url
}

const amountOf = (perSecond: number, seconds: number) => ({
  perSecond,
  requests: scaled(perSecond * seconds),
})

interface Run {
  readonly load: LoadReport
  /** From the last byte to log and balance, milliseconds. */
  readonly delaysMs: readonly number[]
  readonly events: HoldEvents
}

async function runOnce(
  reader: Reader,
  watcher: Reader,
  targets: readonly Target[],
  perSecond: number,
): Promise<Run> {
  const before = await endOfLog(reader)
  const watch = watchReadModels(watcher)
  const load = await steadyLoad(targets, amountOf(perSecond, SECONDS))
  const positions = await positionsOf(reader, load)
  const last = Math.max(...positions.values())
  await watch.endAt(last)
  const delaysMs = load.served.map(({ id, finishedAt }) =>
    Math.max(0, watch.visibleAt(positions.get(id) ?? Number.NaN) - finishedAt),
  )
  return { load, delaysMs, events: await holdEvents(reader, before, last) }
}

/** Where each served request's charge stands in the log. Fails when one is never charged. */
async function positionsOf(reader: Reader, { served }: LoadReport): Promise<Map<string, number>> {
  const deadline = performance.now() + CHARGED_WITHIN_MS
  for (;;) {
    const { rows } = await reader.query<{ id: string; request: string }>(
      `select id, request_id as request from usage_log.rows where request_id = any($1)`,
      [served.map(({ id }) => id)],
    )
    if (rows.length >= served.length) {
      return new Map(rows.map(({ id, request }) => [request, Number(id)]))
    }
    if (performance.now() > deadline) {
      const missing = served.length - rows.length
      const seen = await visiblePosition(reader)
      throw new Error(`${missing} finished requests are not in the log, which is at ${seen}`)
    }
  }
}

const CHARGED_WITHIN_MS = 60_000

function visibilityFigure(where: string, perSecond: number, { load, delaysMs }: Run): Figure {
  const p99 = percentile(delaysMs, 99)
  const isRateReached = load.rate >= RATE_REACHED * perSecond
  const refused = load.refused === 0 ? '' : `, ${whole(load.refused)} refused`
  return {
    what: `finished → visible in log and balance, ${where}`,
    measured: `p50 ${fraction(percentile(delaysMs, 50))} ms, p99 ${fraction(p99)} ms, at ${whole(load.rate)} req/s${refused}`,
    target: perSecond === TARGET.perSecond ? `p99 < ${TARGET.p99Ms} ms` : '',
    isReached:
      perSecond === TARGET.perSecond
        ? isRateReached && load.refused === 0 && p99 < TARGET.p99Ms
        : null,
  }
}

function eventsFigure(where: string, perSecond: number, { events }: Run): Figure {
  const each = (events.charges + events.holds) / events.charges
  const isBusy = perSecond === TARGET.perSecond
  return {
    what: `account events for each charge, ${where}`,
    measured: `${fraction(each)} (${whole(events.holds)} of holds to ${whole(events.charges)} charges)`,
    target: isBusy ? `near 1` : '',
    isReached: isBusy ? each <= BUSY_EVENTS_MAX : null,
  }
}

function questionsFigure(where: string, { load }: Run, questions: Questions): Figure {
  const perThousand = (count: number): string => fraction((count * 1000) / load.served.length)
  const all = Object.values(questions).reduce((sum, count) => sum + count, 0)
  const kinds = Object.entries(questions).map(([kind, count]) => `${kind} ${perThousand(count)}`)
  return {
    what: `questions to owners for 1,000 requests, ${where}`,
    measured: `${perThousand(all)} (${kinds.join(', ')})`,
    target: '',
    isReached: null,
  }
}
