import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  type CsvRow,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { below } from '@tollgate/command-api/http-contract/csv-batches.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { z } from 'zod'
import { distinctIds } from '../http/names.ts'
import {
  type AccountAsOf,
  accountsAfter,
  accountsAsOf,
  type AsOf,
  balancesAsOf,
  journalReach,
  type LedgerBalances,
  totalsAsOf,
} from '../journal/queries.ts'
import { inOneState } from '../runner/reads.ts'
import { balanceAnswer, balancesAnswer } from './answers.ts'
import { isAnswerFinal } from '../journal/final.ts'
import { AS_OF_COLUMNS, asOfCells } from './as-of-columns.ts'
import { asOfOf, asOfPageQuery, asOfQuery, asOfQueryOfUser } from './query.ts'
import { openHoldsAt } from './open-holds.ts'
import { NO_USER, STATEMENT_READS, type StatementDeps } from './routes.ts'

export interface BalanceDeps extends StatementDeps {
  readonly store: Pick<EventStore, 'readStream' | 'newestAt'>
}

/** Balances of accounts as of a time or position. */
export const balanceRoutes = (deps: BalanceDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/ledger/balance',
    access: 'admin',
    summary:
      'Balance of an account as of at=<time> (events before it) or position=<position> (up to and with it); now without both; holds=true lists the holds that were open then',
    reads: STATEMENT_READS,
    query: asOfQueryOfUser,
    answer: { data: balanceAnswer },
    example: { query: { user_id: '7', at: '2026-11-01T00:00:00Z' }, data: EXAMPLE_BALANCE },
    handle: async ({ query }) =>
      query.user_id === 0 ? failure(NO_USER) : balance(deps, query.user_id, query),
  }),
  route({
    method: 'GET',
    path: '/api/ledger/balance/self',
    access: 'user',
    summary:
      'The caller’s own balance as of at=<time> or position=<position>; holds=true lists the holds that were open then',
    reads: STATEMENT_READS,
    query: asOfQuery,
    answer: { data: balanceAnswer },
    example: { query: { at: '2026-11-01T00:00:00Z' }, data: EXAMPLE_BALANCE },
    handle: async (request) => balance(deps, callerOf(request).userId, request.query),
  }),
  route({
    method: 'GET',
    path: '/api/ledger/balances',
    access: 'admin',
    summary:
      'Balances of all accounts as of at=<time> or position=<position>, with totals; pages from 1, by user id',
    reads: STATEMENT_READS,
    query: asOfPageQuery,
    answer: { data: balancesAnswer },
    example: { query: { at: '2026-11-01T00:00:00Z' }, data: EXAMPLE_BALANCES },
    csv: {
      name: 'balances',
      columns: [...Object.keys(EXAMPLE_BALANCES.items[0]), ...AS_OF_COLUMNS],
      batches: ({ query }) => everyBalance(deps, asOfOf(query)),
    },
    handle: async ({ query }) => {
      const page = Math.max(1, query.p)
      return balances(deps, asOfOf(query), { page, size: query.page_size })
    },
  }),
]

async function balance(
  deps: BalanceDeps,
  userId: number,
  query: z.output<typeof asOfQuery>,
): Promise<ApiReply> {
  const { reads, names } = deps
  const asked = asOfOf(query)
  const found = await inOneState(reads, async (snapshot) => {
    const reach = await journalReach(snapshot, userId)
    const asOf = asked ?? { position: reach.position }
    return { asOf, reach, balances: await balancesAsOf(snapshot, userId, asOf) }
  })
  const users = await names.users(distinctIds([userId]))
  const { asOf, reach, balances: held } = found
  return {
    data: {
      user_id: userId,
      username: users.get(userId) ?? '',
      ...told(held),
      at: 'before' in asOf ? asOf.before : null,
      position: 'position' in asOf ? asOf.position : held.position,
      final: await isAnswerFinal(deps, reach, asked),
      ...(query.holds && { holds: await holdsOf(deps, userId, held.position) }),
    },
  }
}

async function holdsOf({ store, names }: BalanceDeps, userId: number, position: number) {
  const holds = await openHoldsAt(store, userId, position)
  const tokens = await names.tokens(distinctIds(holds.map(({ tokenId }) => tokenId ?? 0)))
  return holds.map(({ tokenId, ...hold }) => ({
    ...hold,
    token_id: tokenId,
    token_name: tokens.get(tokenId ?? 0) ?? '',
  }))
}

async function balances(
  deps: StatementDeps,
  asked: AsOf | null,
  place: { readonly page: number; readonly size: number },
): Promise<ApiReply> {
  const { reads, names } = deps
  const { asOf, reach, items, totals } = await inOneState(reads, async (snapshot) => {
    const journal = await journalReach(snapshot, null)
    const asOfMoment = asked ?? { position: journal.position }
    return {
      asOf: asOfMoment,
      reach: journal,
      items: await accountsAsOf(snapshot, asOfMoment, place),
      totals: await totalsAsOf(snapshot, asOfMoment),
    }
  })
  return {
    data: {
      items: await entitiesOf(names, items),
      total: totals.accounts,
      page: place.page,
      page_size: place.size,
      totals: {
        posted: String(BigInt(totals.wallet) + BigInt(totals.held)),
        held: totals.held,
        available: totals.wallet,
        affiliate: totals.affiliate,
      },
      at: 'before' in asOf ? asOf.before : null,
      position: 'position' in asOf ? asOf.position : reach.position,
      final: await isAnswerFinal(deps, reach, asked),
    },
  }
}

/** All accounts as of one position, though the journal goes on meanwhile. */
async function* everyBalance(
  deps: StatementDeps,
  asked: AsOf | null,
): AsyncGenerator<readonly CsvRow[]> {
  const { reads, names } = deps
  const reach = await journalReach(reads, null)
  const asOf = asked ?? { position: reach.position }
  const cells = asOfCells({
    at: 'before' in asOf ? new Date(asOf.before).toISOString() : null,
    completeTo: 'position' in asOf ? Math.min(asOf.position, reach.position) : reach.position,
    final: await isAnswerFinal(deps, reach, asked),
  })
  // The list is in ascending order: each batch begins above the last id of the one before.
  const batches = below<AccountAsOf>(
    (last, limit) => accountsAfter(reads, asOf, last ?? 0, limit),
    ({ user_id }) => user_id,
  )
  for await (const accounts of batches) {
    const rows = await entitiesOf(names, accounts)
    yield rows.map((row) => ({ ...row, ...cells }))
  }
}

async function entitiesOf(names: StatementDeps['names'], accounts: readonly AccountAsOf[]) {
  const users = await names.users(distinctIds(accounts.map(({ user_id }) => user_id)))
  return accounts.map((account) => ({
    user_id: account.user_id,
    username: users.get(account.user_id) ?? '',
    ...told(account),
    position: account.position,
  }))
}

const told = ({ wallet, held, affiliate }: LedgerBalances) => ({
  posted: wallet + held,
  held,
  available: wallet,
  affiliate,
})

const EXAMPLE_FIGURES = {
  posted: 5_023_766,
  held: 2_000,
  available: 5_021_766,
  affiliate: 0,
  position: 121_902,
} as const
const EXAMPLE_BALANCE = {
  user_id: 7,
  username: 'ann',
  ...EXAMPLE_FIGURES,
  at: Date.UTC(2026, 10, 1),
  final: true,
} as const
const EXAMPLE_BALANCES = {
  items: [{ user_id: 7, username: 'ann', ...EXAMPLE_FIGURES }],
  total: 1,
  page: 1,
  page_size: 10,
  totals: { posted: '5023766', held: '2000', available: '5021766', affiliate: '0' },
  at: Date.UTC(2026, 10, 1),
  position: 130_000,
  final: true,
} as const
