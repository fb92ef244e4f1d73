import { type ApiRoute, type CsvRow, route } from '@tollgate/command-api/http-contract/api-route.ts'
import { below } from '@tollgate/command-api/http-contract/csv-batches.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { pageOf } from '../http/answer.ts'
import { distinctIds, type Names } from '../http/names.ts'
import { queryInt, queryPage, queryPageSize } from '../http/query.ts'
import {
  type ExpiredHoldRow,
  expiredHoldPage,
  expiredHoldsBelow,
  type HoldPage,
  type HoldPlace,
  type OpenHoldRow,
  openHoldPage,
  openHoldsBelow,
} from './hold-queries.ts'

export interface HoldReadDeps {
  readonly reads: CommonQueryMethods
  readonly names: Pick<Names, 'users' | 'tokens'>
}

const holdsQuery = z.object({
  status: z
    .preprocess(
      (value) => (value === undefined || value === '' ? 'open' : value),
      z.enum(['open', 'expired'], 'status 只能是 open 或 expired'),
    )
    .describe('Holds that are open, or that have expired; default open'),
  user_id: queryInt().describe('Holds of this user; 0 = of all'),
  p: queryPage(1),
  page_size: queryPageSize(),
})

const heldFor = {
  hold: z.string(),
  user_id: z.int(),
  username: z.string(),
  token_id: z.int().nullable(),
  token_name: z.string(),
  relay: z.string(),
} as const
const openHoldAnswer = z.strictObject({
  ...heldFor,
  status: z.literal('open'),
  remaining: z.int(),
  since: z.int(),
})
const expiredHoldAnswer = z.strictObject({
  ...heldFor,
  status: z.literal('expired'),
  amount: z.int(),
  cause: z.string(),
  expired_at: z.int(),
})
const EXAMPLE_HOLD: z.output<typeof openHoldAnswer> = {
  hold: '7@31',
  user_id: 7,
  username: 'ann',
  token_id: 12,
  token_name: 'notebook',
  relay: '3f6c1a9e-8f0b-4c55-a1de-70a4e2a7c2d1',
  status: 'open',
  remaining: 2_000,
  since: 1_770_120_000,
}

/** Open holds with what they reserve, and holds that were ended because their relay sent no heartbeat (role 10). */
export const holdReadRoutes = ({ reads, names }: HoldReadDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/ledger/holds',
    access: 'admin',
    summary: 'Open holds, or expired ones with their cause, newest first; pages from 1',
    reads: ['balances'],
    query: holdsQuery,
    answer: { data: pageOf(z.discriminatedUnion('status', [openHoldAnswer, expiredHoldAnswer])) },
    example: {
      query: { status: 'open' },
      data: { items: [EXAMPLE_HOLD], total: 1, page: 1, page_size: 10 },
    },
    csv: {
      name: 'holds',
      columns: [
        ...new Set([openHoldAnswer, expiredHoldAnswer].flatMap((one) => Object.keys(one.shape))),
      ],
      async *batches({ query }) {
        const batches = below<HoldRow, HoldPlace>(
          (before, limit) => holdsBelow(reads, query, before, limit),
          (row) => ({ at: 'cause' in row ? row.at : row.since, hold: row.hold }),
        )
        for await (const rows of batches) yield await entities(names, rows)
      },
    },
    handle: async ({ query }) => {
      const page = Math.max(1, query.p)
      const size = query.page_size
      const { rows, total } = await pageOfHolds(reads, query, { page, size })
      return { data: { items: await entities(names, rows), total, page, page_size: size } }
    },
  }),
]

type HoldRow = OpenHoldRow | ExpiredHoldRow

function pageOfHolds(
  reads: CommonQueryMethods,
  { status, user_id }: z.output<typeof holdsQuery>,
  place: { readonly page: number; readonly size: number },
): Promise<HoldPage<HoldRow>> {
  const wanted = { userId: user_id === 0 ? null : user_id, ...place }
  return status === 'open' ? openHoldPage(reads, wanted) : expiredHoldPage(reads, wanted)
}

function holdsBelow(
  reads: CommonQueryMethods,
  { status, user_id }: z.output<typeof holdsQuery>,
  before: HoldPlace | null,
  limit: number,
): Promise<readonly HoldRow[]> {
  const wanted = { userId: user_id === 0 ? null : user_id, before, limit }
  return status === 'open' ? openHoldsBelow(reads, wanted) : expiredHoldsBelow(reads, wanted)
}

async function entities(
  names: HoldReadDeps['names'],
  rows: readonly HoldRow[],
): Promise<readonly CsvRow[]> {
  const [users, tokens] = await Promise.all([
    names.users(distinctIds(rows.map((row) => row.user_id))),
    names.tokens(distinctIds(rows.map((row) => row.token_id ?? 0))),
  ])
  return rows.map((row) => ({
    hold: row.hold,
    user_id: row.user_id,
    username: users.get(row.user_id) ?? '',
    token_id: row.token_id,
    token_name: tokens.get(row.token_id ?? 0) ?? '',
    relay: row.relay,
    ...('cause' in row ? expiredFields(row) : openFields(row)),
  }))
}

/** Times of the console API are unix seconds. */
const openFields = ({ remaining, since }: OpenHoldRow) => ({
  status: 'open',
  remaining,
  since: Math.floor(since / 1000),
})

const expiredFields = ({ amount, cause, at }: ExpiredHoldRow) => ({
  status: 'expired',
  amount,
  cause,
  expired_at: Math.floor(at / 1000),
})
