import { readdirSync, readFileSync } from 'node:fs'
import { descendantsOf, until } from '../support/processes.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'
import { serve } from './child-process.ts'
import { type Figure, fraction, whole } from './figures.ts'
import { latencies, type Target, throughput } from './http-load.ts'
import { usedMs } from './processor-time.ts'
import { prepared } from './relay.ts'
import { scaled } from './scale.ts'

const BUSY_SECONDS = 8
const ISOLATED = { perSecond: 100, durationSeconds: scaled(8) } as const
/** A thread or session that takes less of a request's time has no line of its own. */
const NAMED_FROM_US = 1
/** One line of PostgreSQL's own log for each statement, as Tollgate prints it at level debug. */
const LOGGED_STATEMENT = /postgres: LOG: {2}(?:execute|statement)/gu

/**
 * The processor time that one charged request takes, by thread of Node and by kind of session of PostgreSQL, with what
 * PostgreSQL counts beside: when 64 connections never pause, and when requests come one by one. The read models' share is
 * in it. Unlike a rate, it hardly moves with what else the machine does.
 */
export async function costFigures(say: (line: string) => void): Promise<Figure[]> {
  const upstream = await serve('stand-in-process.ts')
  const product = await startSingleProduct({ env: { LOG_LEVEL: 'warn' } })
  try {
    const { target } = await prepared(product, upstream.url)
    say('cost: warming up')
    await throughput(target, scaled(4))
    await isProjected(product)
    say('cost: 64 connections that never pause')
    const busy = await costOf(product, () => busyRequests(target, scaled(BUSY_SECONDS)))
    say(`cost: ${ISOLATED.perSecond} requests a second`)
    const isolated = await costOf(product, async () => (await latencies(target, ISOLATED)).length)
    const statements = await countStatements(upstream.url)
    return [
      ...figuresOf('busy', busy, statements.busy),
      ...figuresOf(`${ISOLATED.perSecond} a second`, isolated, statements.isolated),
    ]
  } finally {
    await product.dispose()
    await upstream.stop()
  }
}

/** Statements that PostgreSQL runs for one request, counted apart: logging them costs more than running them. */
async function countStatements(
  upstreamUrl: string,
): Promise<{ readonly busy: number; readonly isolated: number }> {
  const product = await startSingleProduct({ env: { LOG_LEVEL: 'debug' } })
  const count = async (load: () => Promise<number>): Promise<number> => {
    await isProjected(product)
    const before = product.logs().length
    const requests = await load()
    await isProjected(product)
    return [...product.logs().slice(before).matchAll(LOGGED_STATEMENT)].length / requests
  }
  try {
    const { target } = await prepared(product, upstreamUrl)
    await throughput(target, scaled(2))
    await product.query("alter system set log_statement = 'all'")
    await product.query('select pg_reload_conf()')
    return {
      busy: await count(() => busyRequests(target, scaled(2))),
      isolated: await count(async () => (await latencies(target, ISOLATED)).length),
    }
  } finally {
    await product.dispose()
  }
}

async function busyRequests(target: Target, seconds: number): Promise<number> {
  return (await throughput(target, seconds)) * seconds
}

/** By what it is spent on, for one request. */
interface Cost {
  /** Microseconds, by name of a thread or kind of session. */
  readonly node: ReadonlyMap<string, number>
  readonly postgres: ReadonlyMap<string, number>
  readonly counts: ReadonlyMap<string, number>
}

async function costOf(product: SingleProduct, load: () => Promise<number>): Promise<Cost> {
  const before = await readSpent(product)
  const requests = await load()
  await isProjected(product)
  const after = await readSpent(product)
  const each = (part: keyof Cost, scale: number): Map<string, number> =>
    new Map(
      [...after[part]].map(([name, value]) => [
        name,
        ((value - (before[part].get(name) ?? 0)) * scale) / requests,
      ]),
    )
  return { node: each('node', 1_000), postgres: each('postgres', 1_000), counts: each('counts', 1) }
}

async function isProjected(product: SingleProduct): Promise<void> {
  await until(
    'the read models have caught up',
    async () => {
      const behind = await product.query(`
        select name from projections.checkpoints
        where name in ('balances', 'usage-log', 'dashboard', 'journal', 'tokens')
          and position < (select max(position) from ledger.events where type = 'UsageCharged')`)
      return behind.length === 0
    },
    60_000,
  )
}

/** Milliseconds and counts since the start. */
async function readSpent(product: SingleProduct): Promise<Cost> {
  const pid = product.pid()
  const kinds = await kindsOfSessions(product)
  return {
    node: summed(threadsOf(pid)),
    postgres: summed(
      descendantsOf(pid).map((child) => [kinds.get(child) ?? 'others', `/proc/${child}/stat`]),
    ),
    counts: await readCounts(product),
  }
}

function threadsOf(pid: number): [name: string, path: string][] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    const path = `/proc/${pid}/task/${id}`
    return [
      Number(id) === pid ? 'thread that serves' : readFileSync(`${path}/comm`, 'utf8').trim(),
      `${path}/stat`,
    ]
  })
}

function summed(spenders: readonly (readonly [name: string, path: string])[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [name, path] of spenders) {
    const ms = usedMs(path)
    if (!Number.isNaN(ms)) sums.set(name, (sums.get(name) ?? 0) + ms)
  }
  return sums
}

async function kindsOfSessions(product: SingleProduct): Promise<ReadonlyMap<number, string>> {
  const rows = (await product.query(`
    select pid, coalesce(nullif(application_name, ''), backend_type) as kind
    from pg_stat_activity`)) as { readonly pid: number; readonly kind: string }[]
  return new Map(rows.map(({ pid, kind }) => [pid, kind]))
}

async function readCounts(product: SingleProduct): Promise<ReadonlyMap<string, number>> {
  const [row] = await product.query(`
    select
      (select sum(xact_commit) from pg_stat_database) as transactions,
      (select sum(wal_bytes) from pg_stat_wal) as "bytes of write-ahead log",
      (select sum(fsyncs) from pg_stat_io where object = 'wal') as "flushes of the write-ahead log"`)
  return new Map(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]))
}

function figuresOf(load: string, { node, postgres, counts }: Cost, statements: number): Figure[] {
  const figure = (what: string, measured: string): Figure => ({
    what: `cost of a request, ${load}: ${what}`,
    measured,
    target: '',
    isReached: null,
  })
  const times = (all: string, parts: ReadonlyMap<string, number>): Figure[] => [
    figure(all, inMicroseconds(total([...parts.values()]))),
    ...named(parts).map(([name, us]) => figure(`${all}, ${name}`, inMicroseconds(us))),
  ]
  return [
    ...times('Node', node),
    ...times('PostgreSQL', postgres),
    figure('statements', fraction(statements)),
    ...[...counts].map(([name, count]) => figure(name, fraction(count))),
  ]
}

/** Largest first; small ones are left to the total. */
const named = (parts: ReadonlyMap<string, number>): [string, number][] =>
  [...parts].filter(([, us]) => us >= NAMED_FROM_US).toSorted(([, a], [, b]) => b - a)

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

const inMicroseconds = (us: number): string => `${whole(us)} µs`
