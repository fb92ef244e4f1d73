import type { Caller } from '@tollgate/command-api/http-contract/api-route.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'
import { systemClock as clock } from '@tollgate/infra/processes/runtime.ts'
import { dashboardRoutes } from '@tollgate/projections/dashboard/routes.ts'
import type { Names } from '@tollgate/projections/http/names.ts'
import { usageLogRoutes } from '@tollgate/projections/usage-log/routes.ts'
import type { CommonQueryMethods } from 'slonik'
import { askRoute } from '../support/ask-route.ts'
import { ACCOUNTS, BOOK_MODELS, FROM } from './books-log.ts'
import { type Figure, whole } from './figures.ts'
import { percentile } from './percentiles.ts'

/** Answers after the first; a question that takes seconds is asked less often. */
const SAMPLES = 20
const SPENT_MOST_MS = 10_000
const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

const ROOT: Caller = { userId: 1, username: 'root', role: 100, group: 'default', sessionId: null }
const nobody = async (): Promise<ReadonlyMap<never, string>> => new Map<never, string>()
/** Users and tokens are called by their numbers. */
const NAMES: Names = {
  users: nobody,
  tokens: nobody,
  channels: nobody,
  notes: nobody,
  userIdByName: async (name) => Number(name),
  tokenIdsByName: async (name) => [Number(name)],
}

interface Question {
  readonly what: string
  readonly limitMs: number
  readonly url: () => string
}

/** Asks each question as its route answers it; the first answer stands beside those after it. */
export async function rowQuestionFigures(
  reads: CommonQueryMethods,
  to: number,
  say: (line: string) => void,
): Promise<Figure[]> {
  const options = optionsFrom(new Map())
  const deps = { reads, names: NAMES, clock, currentOptions: () => options }
  const routes = [
    ...usageLogRoutes({
      ...deps,
      findTokenByKey: async () => null,
      readAddresses: async () => [],
      isAllowedAddress: () => true,
    }),
    ...dashboardRoutes(deps),
  ]
  const timed = async (url: string): Promise<number> => {
    const startedAt = performance.now()
    const reply = await askRoute(routes, url, ROOT)
    if (reply.success === false) throw new Error(`${url}: ${reply.message}`)
    return performance.now() - startedAt
  }
  const figures: Figure[] = []
  for (const { what, limitMs, url } of questionsUpTo(Math.floor(to / 1000), seededChance(3))) {
    const first = await timed(url())
    const samples: number[] = []
    let spent = first
    while (samples.length < SAMPLES && spent < SPENT_MOST_MS) {
      const took = await timed(url())
      samples.push(took)
      spent += took
    }
    const p95 = percentile([first, ...samples], 95)
    const measured = `first ${first.toFixed(1)} ms, p50 ${percentile([first, ...samples], 50).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`
    say(`rows: ${what}: ${measured}`)
    const slowest = Math.max(first, p95)
    const target = `< ${whole(limitMs)} ms`
    figures.push({ what, measured, target, isReached: slowest < limitMs })
  }
  return figures
}

/** `to` in unix seconds: the end of the last hour that has rows. */
function questionsUpTo(to: number, chance: () => number): readonly Question[] {
  const below = (bound: number): number => Math.floor(chance() * bound)
  // As often as they are charged, so that the busiest come up most.
  const user = (): number => 1 + Math.floor(ACCOUNTS * chance() ** 3)
  const token = (): string => `token_name=${user() * 2}`
  const channel = (): string => `channel=${1 + below(12)}`
  const model = (): string => `model_name=${BOOK_MODELS[below(7)]}`
  const group = (): string => 'group=default'
  const from = Math.floor(FROM / 1000)
  /** Up to a month between two hours. */
  const atHours = (): string => {
    const start = from + below(79 * 24) * HOUR_SECONDS
    return `start_timestamp=${start}&end_timestamp=${start + 31 * DAY_SECONDS - 1}`
  }
  const lastDays = (days: number): string =>
    `start_timestamp=${to - days * DAY_SECONDS}&end_timestamp=${to - 1}`
  const filters: readonly (readonly [string, () => string, number])[] = [
    ['all', () => 'type=0', 100],
    ['type 2', () => 'type=2', 100],
    ['a user', () => `username=${user()}`, 100],
    ['a model', model, 100],
    ['a channel', channel, 100],
    ['a token', token, 100],
    ['a group', group, 100],
    ['a user and model', () => `username=${user()}&${model()}`, 100],
    ['a channel and model', () => `${channel()}&${model()}`, 100],
    ['a group and model', () => `${group()}&${model()}`, 300],
  ]
  return [
    ...filters.map(([by, query, limitMs]) => ({
      what: `first page of ${by}`,
      limitMs,
      url: () => `/api/log/?p=1&page_size=100&${query()}`,
    })),
    {
      what: 'a page far down',
      limitMs: 100,
      url: () => `/api/log/?p=${1 + below(5_000)}&page_size=100`,
    },
    ...filters.map(([by, query]) => ({
      what: `statistics of a month, ${by}`,
      limitMs: 200,
      url: () => `/api/log/stat?${query()}&${atHours()}`,
    })),
    {
      what: 'distinct rows of a day',
      limitMs: 500,
      url: () => `/api/log/?p=1&page_size=100&is_distance=true&${lastDays(1)}`,
    },
    {
      what: 'distinct rows of 31 days',
      limitMs: 500,
      url: () => `/api/log/?p=1&page_size=100&is_distance=true&${lastDays(31)}`,
    },
    { what: 'dashboard of 30 days', limitMs: 300, url: () => `/api/data/?${lastDays(30)}` },
    {
      what: 'dashboard of 30 days, a user',
      limitMs: 300,
      url: () => `/api/data/?username=${user()}&${lastDays(30)}`,
    },
    ...(['user', 'token', 'channel'] as const).map((by) => ({
      what: `top by ${by} of 30 days`,
      limitMs: 300,
      url: () => `/api/data/top?by=${by}&limit=10&${lastDays(30)}`,
    })),
  ]
}
