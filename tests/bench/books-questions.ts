import type { Caller } from '@tollgate/command-api/http-contract/api-route.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'
import { openTypedQueries } from '@tollgate/infra/postgres/typed-queries.ts'
import { systemClock as clock } from '@tollgate/infra/processes/runtime.ts'
import type { Names } from '@tollgate/projections/http/names.ts'
import { journalRoutes } from '@tollgate/projections/journal/routes.ts'
import { balanceRoutes } from '@tollgate/projections/statement/balance-routes.ts'
import { statementRoutes } from '@tollgate/projections/statement/routes.ts'
import { trialBalanceRoute } from '@tollgate/projections/statement/trial-balance-route.ts'
import { logDetailRoutes } from '@tollgate/projections/usage-log/detail-routes.ts'
import { askRoute } from '../support/ask-route.ts'
import { ACCOUNTS, BOOK_MODELS, FROM, TO } from './books-log.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { type Figure, whole } from './figures.ts'
import { percentile } from './percentiles.ts'

const SAMPLES = 60
const DAY_MS = 86_400_000

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

/** Asks each question at random accounts and moments of a year's books, as its route answers it. */
export async function questionFigures(
  { pool, store }: Pick<EmbeddedLog, 'pool' | 'store'>,
  { charges, events }: { readonly charges: number; readonly events: number },
  say: (line: string) => void,
): Promise<Figure[]> {
  const deps = {
    pool,
    store,
    reads: await openTypedQueries(pool, { arePrepared: true }),
    names: NAMES,
    clock,
    isComplete: async () => true,
  }
  const options = optionsFrom(new Map())
  const routes = [
    ...statementRoutes(deps),
    ...balanceRoutes(deps),
    ...journalRoutes(deps),
    ...logDetailRoutes({ ...deps, currentOptions: () => options }),
    trialBalanceRoute({ ...deps, reads: await openTypedQueries(pool) }),
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
