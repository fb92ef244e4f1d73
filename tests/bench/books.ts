import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Caller } from '@tollgate/command-api/http-contract/api-route.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { systemClock as clock } from '@tollgate/infra/processes/runtime.ts'
import type { Names } from '@tollgate/projections/http/names.ts'
import { journal } from '@tollgate/projections/journal/projector.ts'
import { journalRoutes } from '@tollgate/projections/journal/routes.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import { balanceRoutes } from '@tollgate/projections/statement/balance-routes.ts'
import { statementRoutes } from '@tollgate/projections/statement/routes.ts'
import { trialBalanceRoute } from '@tollgate/projections/statement/trial-balance-route.ts'
import { logDetailRoutes } from '@tollgate/projections/usage-log/detail-routes.ts'
import { usageLog } from '@tollgate/projections/usage-log/projector.ts'
import { askRoute } from '../support/ask-route.ts'
import { BOOK_MODELS, writeBooks } from './books-log.ts'
import { type EmbeddedLog, logger, withEmbeddedLog } from './embedded-log.ts'
import { type Figure, whole } from './figures.ts'
import { percentile } from './percentiles.ts'
import { scaled } from './scale.ts'

const CHARGES = 10_000_000
const ACCOUNTS = 5_000
const FROM = Date.UTC(2025, 0, 1)
const TO = Date.UTC(2026, 0, 1)
const SAMPLES = 60
const DAY_MS = 86_400_000

/**
 * What finance people ask of a year of ten million charges, beside the limits of the design: each question as its route
 * answers it, at random accounts and moments; replays by the command that operators use.
 */
export const booksFigures = (say: (line: string) => void): Promise<Figure[]> =>
  withEmbeddedLog(async (log) => {
    const charges = scaled(CHARGES)
    const startedAt = performance.now()
    const events = await writeBooks(log, { charges, accounts: ACCOUNTS, from: FROM, to: TO }, say)
    say(`books: ${whole(events)} events after ${seconds(startedAt)} s; projecting`)
    const rates = await build(log, events)
    await log.pool.query('vacuum analyze')
    say(`books: read models built after ${seconds(startedAt)} s; asking`)
    return [...rates, ...(await questions(log, charges, events, say)), ...(await replays(log, say))]
  })

/** As a projector's process does it. */
async function build({ url, store }: EmbeddedLog, events: number): Promise<Figure[]> {
  const applicationName = 'bench-projections'
  const pool = openPool(url, { max: 6, applicationName, isDurable: false, isPipelined: true })
  try {
    const rates: Figure[] = []
    for (const projector of [journal, usageLog]) {
      const { durationMs } = await rebuild({ store, pool, projector, clock, logger })
      const perSecond = `${whole((events * 1_000) / durationMs)} events/s`
      rates.push({ what: `${projector.name} built`, measured: perSecond, ...NO_TARGET })
    }
    return rates
  } finally {
    await pool.end()
  }
}

const seconds = (startedAt: number): string => whole((performance.now() - startedAt) / 1_000)

const NO_TARGET = { target: '', isReached: null } as const

const ROOT: Caller = { userId: 1, username: 'root', role: 100, group: 'default', sessionId: null }
const nobody = async (): Promise<ReadonlyMap<never, string>> => new Map<never, string>()
const NAMES: Names = {
  users: nobody,
  tokens: nobody,
  channels: nobody,
  notes: nobody,
  userIdByName: async () => null,
  tokenIdsByName: async () => [],
}

/** A question with what it may take: the 95th percentile of its answers. */
interface Question {
  readonly what: string
  readonly limitMs: number
  readonly url: () => string
}

async function questions(
  { pool }: EmbeddedLog,
  charges: number,
  events: number,
  say: (line: string) => void,
): Promise<Figure[]> {
  const deps = { pool, names: NAMES, clock, isComplete: async () => true }
  const options = optionsFrom(new Map())
  const routes = [
    ...statementRoutes(deps),
    ...balanceRoutes(deps),
    ...journalRoutes(deps),
    ...logDetailRoutes({ ...deps, currentOptions: () => options }),
    trialBalanceRoute(deps),
  ]
  const chance = seededChance(3)
  const figures: Figure[] = []
  for (const { what, limitMs, url } of questionsAbout(charges, events, chance)) {
    const samples: number[] = []
    for (let turn = 0; turn < SAMPLES; turn += 1) {
      const asked = url()
      const startedAt = performance.now()
      const reply = await askRoute(routes, asked, ROOT)
      if (reply.success === false) throw new Error(`${asked}: ${reply.message}`)
      samples.push(performance.now() - startedAt)
    }
    const p95 = percentile(samples, 95)
    const measured = `p50 ${percentile(samples, 50).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`
    say(`books: ${what}: ${measured}`)
    figures.push({
      what,
      measured,
      target: `p95 < ${whole(limitMs)} ms`,
      isReached: p95 < limitMs,
    })
  }
  return figures
}

function questionsAbout(
  charges: number,
  events: number,
  chance: () => number,
): readonly Question[] {
  const below = (bound: number): number => Math.floor(chance() * bound)
  // As often as they are charged, so that the busiest come up most.
  const user = (): number => 1 + Math.floor(ACCOUNTS * chance() ** 3)
  const at = (): number => FROM + below(TO - FROM)
  const statement = (query: string): string =>
    `/api/ledger/statement?user_id=${user()}&limit=100&${query}`
  const month = (): string => {
    const from = at()
    return `from=${from}&to=${from + 31 * DAY_MS}`
  }
  const journalAt = (query: string): string => `/api/ledger/journal?limit=100&${query}`
  const totals = (query: string): string => `/api/ledger/journal/totals?${query}`
  const ask = (what: string, limitMs: number, url: () => string): Question => ({
    what,
    limitMs,
    url,
  })
  return [
    ask('statement of a month by day and model', 50, () => statement(month())),
    ask('statement of the year, first page', 50, () => statement(`from=${FROM}&to=${TO}`)),
    ask('statement, single events from a random place', 50, () =>
      statement(`from=${FROM}&to=${TO}&group=none&after=${at()}.0`),
    ),
    ask('statement of the year by month', 50, () =>
      statement(`from=${FROM}&to=${TO}&group=month&zone=Asia/Kathmandu`),
    ),
    ask('balance as of an instant', 20, () => `/api/ledger/balance?user_id=${user()}&at=${at()}`),
    ask('balances of all accounts as of an instant', 1_000, () => {
      return `/api/ledger/balances?at=${at()}&page_size=100`
    }),
    ask('journal from a random place', 100, () => journalAt(`after=${below(events)}:0`)),
    ask('journal of a rare model', 100, () => journalAt(`model=${BOOK_MODELS.at(-1)}`)),
    ask('journal of a token', 100, () => journalAt(`token=${user() * 2}`)),
    ask('journal of a channel in a month', 100, () => {
      return journalAt(`channel=${1 + below(12)}&${month()}`)
    }),
    ask('journal of a user from a random place', 100, () =>
      journalAt(`user_id=${user()}&after=${below(events)}:0`),
    ),
    ask('journal totals by the sums of days', 300, () => totals(`account=wallet&${month()}`)),
    ask('journal totals of a model, by postings', 2_000, () => totals(`model=m3&${month()}`)),
    ask('trial balance as of an instant', 1_000, () => `/api/audit/trial-balance?at=${at()}`),
    ask('trial balance as of a position', 1_000, () => {
      return `/api/audit/trial-balance?position=${below(events)}`
    }),
    ask('explain a charge', 50, () => `/api/ledger/charges/req-${below(charges)}`),
  ]
}

/** As the command line has them. */
const REPLAYS = [
  ['as charged', [], 150_000],
  ['at today’s prices', ['--prices', 'today'], 100_000],
] as const
const MEMORY_MIB = 300

async function replays({ url, pool }: EmbeddedLog, say: (line: string) => void): Promise<Figure[]> {
  const figures: Figure[] = []
  const { rows } = await pool.query<{ charges: number }>(
    `select count(*) as charges from ledger.events where type = 'UsageCharged'`,
  )
  const charges = rows[0]?.charges ?? 0
  for (const [what, flags, limit] of REPLAYS) {
    say(`books: replay ${what}`)
    const { elapsedMs, peakMiB } = await replay(url, flags)
    const perSecond = (charges * 1_000) / elapsedMs
    figures.push({
      what: `replay of ${whole(charges)} charges ${what}, by month and model`,
      measured: `${whole(perSecond)} charges/s, ${(elapsedMs / 1_000).toFixed(1)} s with its start, ${whole(peakMiB)} MiB at most`,
      target: `≥ ${whole(limit)} charges/s, < ${MEMORY_MIB} MiB`,
      isReached: perSecond >= limit && peakMiB < MEMORY_MIB,
    })
  }
  return figures
}

/** Runs `npm run replay` on the log; its time and the most memory that it had (Linux). */
async function replay(
  databaseUrl: string,
  flags: readonly string[],
): Promise<{ readonly elapsedMs: number; readonly peakMiB: number }> {
  const cli = fileURLToPath(
    new URL('../../infra/processes/commands/replay-cli.ts', import.meta.url),
  )
  const period = ['--from', '2025-01-01', '--to', '2026-01-01', '--by', 'month,model']
  const startedAt = performance.now()
  const child = spawn(process.execPath, [cli, ...period, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
  let words = ''
  child.stderr.on('data', (text: Buffer) => (words = (words + text.toString()).slice(-2_000)))
  const ended = once(child, 'exit')
  let peakMiB = 0
  const isOver = ended.then(() => true as const)
  while ((await Promise.race([isOver, after(SAMPLE_EVERY_MS)])) !== true) {
    peakMiB = Math.max(peakMiB, residentMiB(child.pid ?? 0))
  }
  if (child.exitCode !== 0) throw new Error(`the replay failed: ${words}`)
  return { elapsedMs: performance.now() - startedAt, peakMiB }
}

const SAMPLE_EVERY_MS = 100

/** The most that a process ever had, as the kernel noted it; 0 when it is gone. */
function residentMiB(pid: number): number {
  try {
    const [, kib = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) / 1_024
  } catch {
    return 0
  }
}
