import { readFileSync } from 'node:fs'
import { ConsoleClient } from '../support/console-client.ts'
import { descendantsOf, until } from '../support/processes.ts'
import type { SingleProduct } from '../support/product.ts'
import { startSingleProduct } from '../support/product.ts'
import { serve } from './child-process.ts'
import type { Figure } from './figures.ts'
import { fraction, whole } from './figures.ts'
import type { StreamTimes, Target } from './http-load.ts'
import { latencies, streamTimes, throughput } from './http-load.ts'
import { percentile } from './percentiles.ts'
import { perRequest, type ProcessorTime, processorTime } from './processor-time.ts'

const THROUGHPUT_SECONDS = 8
const RATE = { perSecond: 500, durationSeconds: 6 } as const
const STREAMS = { streams: 200, durationSeconds: 6 } as const

/**
 * The relay as its clients see it, beside a bare pass-through on the same machine in the same run. Stand-in, bare
 * gateway and Tollgate (with its database) are processes of their own; the load comes from this one.
 */
export async function relayFigures(say: (line: string) => void): Promise<Figure[]> {
  const upstream = await serve('stand-in-process.ts')
  const bare = await serve('bare-gateway-process.ts', upstream.url)
  const startedAt = performance.now()
  const product = await startSingleProduct({ env: { LOG_LEVEL: 'warn' } })
  const firstStartMs = performance.now() - startedAt
  try {
    const bareTarget = { url: bare.url, key: 'sk-bench' }
    const { target } = await prepared(product, upstream.url)
    const idleMiB = memoryMiB(product)
    say('relay: warming up')
    await throughput(bareTarget, 2)
    await throughput(target, 3)
    say('relay: throughput')
    const bareBefore = processorTime(bare.pid)
    const bareRate = await throughput(bareTarget, THROUGHPUT_SECONDS)
    const bareAfter = processorTime(bare.pid)
    const before = processorTime(product.pid())
    const { rate, sustained } = await sustainedThroughput(product, target)
    const after = processorTime(product.pid())
    const bareTime = timeOf(bareBefore, bareAfter, bareRate)
    const time = timeOf(before, after, rate)
    say(`relay: latency at ${RATE.perSecond} requests a second`)
    const bareLatency = await latencies(bareTarget, RATE)
    const latency = await latencies(target, RATE)
    say(`relay: ${STREAMS.streams} streams`)
    const bareTimes = await streamTimes(bareTarget, STREAMS)
    const times = await streamTimes(target, STREAMS)
    const secondStartMs = await restartMs(product)
    return [
      throughputFigure(rate, bareRate),
      sustainedFigure(sustained),
      ...processorFigures(time, bareTime),
      latencyFigure(50, 1, latency, bareLatency),
      latencyFigure(99, 5, latency, bareLatency),
      streamFigure('first token', 'firstMs', times, bareTimes),
      streamFigure('between chunks', 'gapMs', times, bareTimes),
      startFigure('first start, empty data folder, until ready', firstStartMs),
      startFigure('later start until ready', secondStartMs),
      memoryFigure(idleMiB),
    ]
  } finally {
    await product.dispose()
    await bare.stop()
    await upstream.stop()
  }
}

/** Processor time of each of the requests that the throughput was measured by; null where it cannot be told. */
const timeOf = (
  before: ProcessorTime | null,
  after: ProcessorTime | null,
  perSecond: number,
): ProcessorTime | null =>
  before === null || after === null
    ? null
    : perRequest(before, after, perSecond * THROUGHPUT_SECONDS)

/** Requests a second, and charges a second until balances and log had seen the last of them. */
async function sustainedThroughput(
  product: SingleProduct,
  target: Target,
): Promise<{ rate: number; sustained: number }> {
  const startedAt = performance.now()
  const rate = await throughput(target, THROUGHPUT_SECONDS)
  await until('the read models have caught up', () => isCaughtUp(product), 60_000)
  const seconds = (performance.now() - startedAt) / 1000
  return { rate, sustained: (rate * THROUGHPUT_SECONDS) / seconds }
}

async function isCaughtUp(product: SingleProduct): Promise<boolean> {
  const behind = await product.query(`
    select name from projections.checkpoints
    where name in ('balances', 'usage-log')
      and position < (select max(position) from ledger.events where type = 'UsageCharged')`)
  return behind.length === 0
}

/** Sets the product up with one channel and an account that the bench cannot empty. */
export async function prepared(
  product: SingleProduct,
  upstreamUrl: string,
): Promise<{ readonly root: ConsoleClient; readonly target: Target }> {
  const root = new ConsoleClient(product.url)
  await root.setUp('root', 'long-enough-1')
  await root.logIn('root', 'long-enough-1')
  await root.addChannel({
    name: 'bench',
    key: 'sk-bench',
    base_url: upstreamUrl,
    models: 'gpt-4o-mini,gpt-4o',
  })
  const user = await root.addUser('bench', 'long-enough-2', 1_000_000_000_000)
  const token = await user.createToken({ name: 'bench' })
  return { root, target: { url: product.url, key: `sk-${token.key}` } }
}

async function restartMs(product: SingleProduct): Promise<number> {
  await product.terminate()
  const startedAt = performance.now()
  await product.start()
  return performance.now() - startedAt
}

/** Proportional set size of the process and all that it started: shared pages count once. NaN where /proc has none. */
function memoryMiB(product: SingleProduct): number {
  const pids = [product.pid(), ...descendantsOf(product.pid())]
  return pids.reduce((total, pid) => total + proportionalKiB(pid), 0) / 1024
}

function proportionalKiB(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB/mu.exec(rollup)?.[1])
  } catch {
    // No such file: another system, or the process has just ended.
    return Number.NaN
  }
}

const throughputFigure = (rate: number, bareRate: number): Figure => ({
  what: 'relay throughput, small chat, charge durable',
  measured: `${whole(rate)} req/s = ${fraction(rate / bareRate)} × bare (${whole(bareRate)})`,
  target: '≥ 0.6 × bare',
  isReached: rate >= 0.6 * bareRate,
})

const sustainedFigure = (perSecond: number): Figure => ({
  what: 'sustained, from relay to balances and log',
  measured: `${whole(perSecond)} charges/s`,
  target: '≥ 5,000 charges/s',
  isReached: perSecond >= 5_000,
})

/** Where the throughput goes: these hardly change with what else the machine does. */
function processorFigures(time: ProcessorTime | null, bare: ProcessorTime | null): Figure[] {
  const figure = (what: string, ms?: number, bareMs?: number): Figure => ({
    what: `processor time a request, ${what}`,
    measured:
      ms === undefined
        ? 'not known on this system'
        : `${whole(ms * 1_000)} µs${bareMs === undefined ? '' : ` (bare ${whole(bareMs * 1_000)})`}`,
    target: '',
    isReached: null,
  })
  return [
    figure('thread that serves', time?.mainThreadMs, bare?.mainThreadMs),
    figure('all threads, projectors too', time?.processMs, bare?.processMs),
    figure('PostgreSQL', time?.startedMs),
  ]
}

function latencyFigure(
  p: number,
  targetMs: number,
  samples: readonly number[],
  bareSamples: readonly number[],
): Figure {
  const bareMs = percentile(bareSamples, p)
  const addedMs = percentile(samples, p) - bareMs
  return {
    what: `relay added latency at ${RATE.perSecond} req/s, p${p}`,
    measured: `${fraction(addedMs)} ms (bare ${fraction(bareMs)})`,
    target: `≤ ${targetMs} ms`,
    isReached: addedMs <= targetMs,
  }
}

function streamFigure(
  what: string,
  which: keyof StreamTimes,
  times: StreamTimes,
  bareTimes: StreamTimes,
): Figure {
  const bareMs = percentile(bareTimes[which], 99)
  const addedMs = percentile(times[which], 99) - bareMs
  return {
    what: `added to ${what}, ${STREAMS.streams} streams, p99`,
    measured: `${fraction(addedMs)} ms (bare ${fraction(bareMs)})`,
    target: '≤ 5 ms',
    isReached: addedMs <= 5,
  }
}

const startFigure = (what: string, ms: number): Figure => ({
  what,
  measured: `${fraction(ms / 1000)} s`,
  target: '< 5 s',
  isReached: ms < 5_000,
})

const memoryFigure = (mib: number): Figure => ({
  what: 'memory of the whole stack, idle',
  measured: Number.isNaN(mib) ? 'not known on this system' : `${whole(mib)} MiB`,
  target: '< 400 MiB',
  isReached: Number.isNaN(mib) ? null : mib < 400,
})
