import { z } from 'zod'
import { until } from '../support/processes.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'
import { serve } from './child-process.ts'
import { openClients } from './clients.ts'
import { type Figure, fraction, whole } from './figures.ts'
import { type Target, throughput } from './http-load.ts'
import { perRequest, processorTime } from './processor-time.ts'
import { steadyLoad } from './steady-load.ts'

const SCALE = Number(process.env['BENCH_SCALE'] ?? '1')
const WARM_UP_SECONDS = 4
const SECONDS = Math.max(2, Math.round(8 * SCALE))
const ROUNDS = SCALE < 1 ? 1 : 3
/** Little enough for two cores to carry, whichever the engine. */
const PER_SECOND = 300
const TARGET = 1.3

/** Asks for so many seconds. */
type Load = (target: Target, seconds: number) => Promise<unknown>

/** The more comes at a time, the less each charge costs: as fast as 64 clients go, and both engines at the same rate. */
const LOADS: readonly (readonly [what: string, load: Load])[] = [
  ['64 connections', throughput],
  [
    `${PER_SECOND} a second`,
    (target, seconds) =>
      steadyLoad([target], { perSecond: PER_SECOND, requests: PER_SECOND * seconds }),
  ],
]

/** The cost of a charge in the product's own process, read models included. */
interface ChargeCost {
  readonly cpuMs: number
  readonly perSecond: number
}

/** The cost of a charge with either engine under one load. */
interface ComparedCost {
  readonly what: string
  readonly embedded: ChargeCost
  readonly eventStore: ChargeCost
}

/**
 * Node's processor time per charge with the log in EventStoreDB (the double, a process of its own), against the log in
 * PostgreSQL, in turns; the lowest of each counts, as other work on the machine only adds.
 */
export async function logEngineFigures(say: (line: string) => void): Promise<Figure[]> {
  const upstream = await serve('stand-in-process.ts')
  const double = await serve('double-process.ts')
  const env = { LOG_LEVEL: 'warn' }
  const embedded = await startSingleProduct({ env })
  const eventStore = await startSingleProduct({ env: { ...env, EVENTSTORE_URL: double.url } })
  try {
    const costOfEmbedded = await prepared(embedded, upstream.url)
    const costOfEventStore = await prepared(eventStore, upstream.url)
    const compared: ComparedCost[] = []
    for (const [what, load] of LOADS) {
      const costs: [embedded: ChargeCost, eventStore: ChargeCost][] = []
      for (let round = 1; round <= ROUNDS; round += 1) {
        say(`log engines: ${what}, round ${round} of ${ROUNDS}`)
        costs.push([await costOfEmbedded(load), await costOfEventStore(load)])
      }
      compared.push({
        what,
        embedded: cheapest(costs.map(([cost]) => cost)),
        eventStore: cheapest(costs.map(([, cost]) => cost)),
      })
    }
    say(ratiosOf(compared))
    return compared.map(figureOf)
  } finally {
    await Promise.all([embedded.dispose(), eventStore.dispose()])
    await double.stop()
    await upstream.stop()
  }
}

async function prepared(
  product: SingleProduct,
  upstreamUrl: string,
): Promise<(load: Load) => Promise<ChargeCost>> {
  const [client] = await openClients(product, upstreamUrl, 1)
  if (client === undefined) throw new Error('no client')
  const target = { url: product.url, key: client.key }
  let charged = 0
  /** Until what the load has left behind is in the read models, too. */
  const rest = (): Promise<void> =>
    until(
      'the read models rest',
      async () => {
        const before = charged
        charged = await chargesOf(product)
        return charged > 0 && charged === before && (await behindOf(product)) === 0
      },
      60_000,
    )
  await throughput(target, WARM_UP_SECONDS)
  await rest()
  return async (load) => {
    const before = processorTime(product.pid())
    const from = charged
    await load(target, SECONDS)
    await rest()
    const after = processorTime(product.pid())
    if (before === null || after === null) return { cpuMs: Number.NaN, perSecond: Number.NaN }
    const charges = charged - from
    return { cpuMs: perRequest(before, after, charges).processMs, perSecond: charges / SECONDS }
  }
}

const chargesOf = (product: SingleProduct): Promise<number> =>
  countOf(product, 'select count(*) as count from usage_log.rows where type = 2')

/** How far the read models of one event are apart: zero when all have the newest. */
const behindOf = (product: SingleProduct): Promise<number> =>
  countOf(
    product,
    `select max(position) - min(position) as count from projections.checkpoints where name in ('balances', 'usage-log')`,
  )

async function countOf(product: SingleProduct, sql: string): Promise<number> {
  const rows = await product.query(sql)
  return z.object({ count: z.coerce.number() }).parse(rows[0]).count
}

const cheapest = (costs: readonly ChargeCost[]): ChargeCost =>
  costs.reduce((best, cost) => (cost.cpuMs < best.cpuMs ? cost : best))

/** In one line. */
const ratiosOf = (compared: readonly ComparedCost[]): string =>
  `log engines: a charge with the log in EventStoreDB costs ${compared
    .map((cost) => `${fraction(ratioOf(cost))} (${cost.what})`)
    .join(', ')} × the embedded log's CPU; target ≤ ${TARGET}`

const ratioOf = ({ embedded, eventStore }: ComparedCost): number =>
  eventStore.cpuMs / embedded.cpuMs

function figureOf(cost: ComparedCost): Figure {
  const { what, embedded, eventStore } = cost
  const ratio = ratioOf(cost)
  return {
    what: `Node CPU per charge, log in EventStoreDB (double), ${what}`,
    measured: `${fraction(eventStore.cpuMs)} ms at ${whole(eventStore.perSecond)}/s (${fraction(ratio)} × embedded log, ${fraction(embedded.cpuMs)} ms at ${whole(embedded.perSecond)}/s)`,
    target: `≤ ${TARGET} × embedded log`,
    isReached: ratio <= TARGET,
  }
}
