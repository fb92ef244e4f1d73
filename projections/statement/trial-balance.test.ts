import type { Caller } from '@tollgate/command-api/http-contract/api-route.ts'
import { trialBalance } from '@tollgate/command-api/audit/trial-balance.ts'
import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'
import { askRoute } from '@tollgate/tests/support/ask-route.ts'
import { csvBatches } from '@tollgate/tests/support/command-api.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { journal } from '../journal/projector.ts'
import { trialBalanceAnswer, trialBalanceRoute } from './trial-balance-route.ts'

const HOUR_MS = 3_600_000
let log: ProjectionLog
let [start, end, head] = [Number.MAX_SAFE_INTEGER, 0, 0]
const chance = seededChance(5)
const below = (bound: number): number => Math.floor(chance() * bound)

beforeAll(async () => {
  log = await openProjectionLog()
  const from = Date.UTC(2026, 8, 20)
  const history = randomHistory({ seed: 33, steps: 600, users: 4, from, stepMs: 4 * HOUR_MS })
  for (const { stream, event } of history.events) {
    // Clocks of owners differ, so that positions of several accounts do not run like their times.
    const at = event.data.at + (stream === 'account-2' ? 31 * HOUR_MS : 0) - below(9 * HOUR_MS)
    head = await log.append(stream, { ...event, data: { ...event.data, at } })
    start = Math.min(start, at)
    end = Math.max(end, at)
  }
  await log.project([journal])
})
afterAll(() => log.close())

const root: Caller = { userId: 1, username: 'root', role: 100, group: 'default', sessionId: null }

function theRoute() {
  const nobody = async (): Promise<ReadonlyMap<never, string>> => new Map<never, string>()
  return trialBalanceRoute({
    reads: log.reads,
    store: log.store,
    clock: testClock,
    names: { users: nobody, tokens: nobody, notes: nobody },
    isComplete: async () => false,
  })
}

async function ask(url: string) {
  const reply = await askRoute([theRoute()], url, root)
  if (reply.success === false) throw new Error(reply.message)
  return trialBalanceAnswer.parse(reply.data)
}
const asked = (query: string) => ask(`/api/audit/trial-balance?${query}`)

test.each(['by-kind', 'each'] as const)(
  'given random instants, when asked for %s, then it is what the events themselves come to',
  async (detail) => {
    for (let turn = 0; turn < 60; turn++) {
      const at = start - HOUR_MS + below(end - start + 2 * HOUR_MS)
      const told = await trialBalance(log.store, { type: 'time', at }, { detail })
      const query = detail === 'each' ? `at=${at}&detail=each` : `at=${at}`
      const { rows, total } = await asked(query)
      expect([at, rows, total]).toEqual([at, told.rows, told.total])
    }
  },
)

test.each(['by-kind', 'each'] as const)(
  'given random positions, when asked for %s, then it is what the events up to them come to',
  async (detail) => {
    for (let turn = 0; turn < 60; turn++) {
      const position = turn === 0 ? head : below(head + 1)
      const told = await trialBalance(log.store, { type: 'position', position }, { detail })
      const query = `position=${position}${detail === 'each' ? '&detail=each' : ''}`
      const found = await asked(query)
      expect([position, found.rows, found.total]).toEqual([position, told.rows, told.total])
      expect(found).toMatchObject({ position, final: true })
    }
  },
)

test('given nothing, when the trial balance is asked for, then everything is in it', async () => {
  const told = await trialBalance(log.store, { type: 'now' })
  const found = await asked('')
  expect(found).toMatchObject({ at: null, position: head, rows: told.rows, total: told.total })
})

test('given no bound and the last position, when asked for, then only as of the latter it is final', async () => {
  expect(await asked('')).toMatchObject({ position: head, final: false })
  expect(await asked(`position=${head}`)).toMatchObject({ position: head, final: true })
})

test.each([
  ['', { as_of: '', final: false }],
  ['position=40', { as_of: '', complete_to: 40, final: true }],
  ['at=2026-09-25T02:00:00%2B02:00', { as_of: '2026-09-25T00:00:00.000Z', final: true }],
] as const)(
  'given %j, when exported, then each line says its unit, as of when it is and if it is final',
  async (text, expected) => {
    const query = Object.fromEntries(new URLSearchParams(text))
    const files = csvBatches([theRoute()], 'GET /api/audit/trial-balance', { query, caller: root })
    const lines = (await Array.fromAsync(files)).flat()
    const { rows, total } = await asked(text)
    const cells = { unit: 'QUOTA', complete_to: head, ...expected }
    expect(lines).toEqual([...rows, total].map((row) => ({ ...row, ...cells })))
    expect(theRoute().csv?.columns).toEqual(Object.keys(lines[0] ?? {}))
  },
)

test('given a position beyond the log, when asked for, then it is refused with the end of the log', async () => {
  await expect(asked(`position=${head + 1}`)).rejects.toThrow(String(head))
})

/** Debits and credits by ledger account, by SQL over the events alone: no code of the product stands between. */
async function toldBySql(column: 'effective' | 'position', below: number) {
  const { rows } = await log.pool.query<{ account: string; debits: string; credits: string }>(
    `with event as (
       select position, type, replace(data, '\\u0000', '')::json as data,
         max((replace(data, '\\u0000', '')::json->>'at')::bigint) over (partition by stream order by revision) as effective
       from ledger.events where stream like 'account-%'
     ), move as (
       select debit, credit, amount from event cross join lateral (values
         (case
            when type = 'QuotaCredited' then case data->>'source'
              when 'sign-up' then 'promotions' when 'invitation' then 'promotions'
              when 'redemption' then 'redemptions' when 'top-up' then 'top-ups' else 'adjustments' end
            when type in ('QuotaDebited', 'QuotaHeld', 'HoldExtended') then 'wallet'
            when type in ('HoldReduced', 'HoldReleased', 'HoldExpired') then 'held'
            when type = 'UsageRefunded' then 'usage-revenue'
            when type = 'AffiliateRewardEarned' then 'promotions'
            when type = 'AffiliateQuotaTransferred' then 'affiliate' end,
          case
            when type = 'QuotaDebited' then 'adjustments'
            when type in ('QuotaHeld', 'HoldExtended') then 'held'
            when type = 'AffiliateRewardEarned' then 'affiliate'
            else 'wallet' end,
          (data->>'amount')::bigint),
         (case type when 'UsageCharged' then 'held' end, 'usage-revenue', (data->>'fromHold')::bigint),
         (case type when 'UsageCharged' then 'wallet' end, 'usage-revenue', (data->>'fromWallet')::bigint)
       ) as side (debit, credit, amount)
       where debit is not null and amount > 0 and ${column} < $1
     )
     select account, sum(debits)::text as debits, sum(credits)::text as credits from (
       select debit as account, amount as debits, 0 as credits from move
       union all select credit, 0, amount from move) as sides
     group by account`,
    [below],
  )
  return new Map(rows.map(({ account, debits, credits }) => [account, { debits, credits }]))
}

test.each(['effective', 'position'] as const)(
  'given random bounds by %s, when the trial balance is read, then SQL over the events says the same',
  async (column) => {
    for (let turn = 0; turn < 60; turn++) {
      const [from, to] = column === 'effective' ? [start, end] : [0, head]
      const bound = from + below(to - from + 1)
      const query = column === 'effective' ? `at=${bound}` : `position=${bound - 1}`
      const { rows } = await asked(query)
      const told = await toldBySql(column, bound)
      const none = { debits: '0', credits: '0' }
      for (const { account, debits, credits } of rows)
        expect([query, account, { debits, credits }]).toEqual([
          query,
          account,
          told.get(account) ?? none,
        ])
      expect(rows.map(({ account }) => account)).toEqual(expect.arrayContaining([...told.keys()]))
    }
  },
)
