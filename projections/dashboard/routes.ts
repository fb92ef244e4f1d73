import {
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { distinctIds, type Names } from '../http/names.ts'
import { queryInt, queryPageSizeUpTo, queryText } from '../http/query.ts'
import { type DataRange, type HourlyUse, hourlyUse, type TopDimension, topUse } from './queries.ts'

export interface DashboardDeps {
  readonly reads: CommonQueryMethods
  readonly names: Names
  /** The options in force. */
  readonly currentOptions: () => OptionsView
}

const READS = ['dashboard'] as const
const SELF_SPAN_SECONDS = 2_592_000
const TOP_MOST = 100

const span = {
  start_timestamp: queryInt().describe(
    'Hours that begin from this moment on, in unix seconds; default 0',
  ),
  end_timestamp: queryInt().describe(
    'Hours that begin up to and with this moment, in unix seconds; 0 finds nothing',
  ),
} as const
const rangeQuery = z.object({
  ...span,
  username: queryText().describe(
    'The user with this name alone; empty = all users together. Not read of one’s own',
  ),
})
const topQuery = z.object({
  ...span,
  by: z
    .preprocess(
      (value) => value ?? 'token',
      z.enum(['user', 'token', 'channel'], 'by 只能是 user、token 或 channel，请改正后重试'),
    )
    .describe('Whose consumption is ranked; default token. Of one’s own always tokens'),
  limit: queryPageSizeUpTo(TOP_MOST),
})

const figures = { count: z.int(), quota: z.int(), token_used: z.int() } as const
/** One model in one hour as answers carry it. */
export const useAnswer = z.strictObject({
  id: z.int(),
  user_id: z.int(),
  username: z.string(),
  model_name: z.string(),
  created_at: z.int(),
  ...figures,
})
const topAnswer = z.strictObject({ id: z.int(), name: z.string(), ...figures })

const EXAMPLE_RANGE = { start_timestamp: '1770033600', end_timestamp: '1770120000' } as const
const EXAMPLE_FIGURES = { count: 42, quota: 125_000, token_used: 60_000 } as const
const EXAMPLE_TOP = { id: 12, name: 'notebook', ...EXAMPLE_FIGURES } as const
const EXAMPLE_USE = {
  id: 0,
  user_id: 7,
  username: 'ann',
  model_name: 'gpt-4o-mini',
  created_at: 1_770_116_400,
  ...EXAMPLE_FIGURES,
} as const

/** The data dashboard (console-api 2.10 and 6.1), and who consumed most. */
export function dashboardRoutes(deps: DashboardDeps): readonly ApiRoute[] {
  const { reads } = deps
  /** DataExportEnabled = false hides the dashboard (decision 30); the figures go on being kept. */
  const isHidden = (): boolean => !deps.currentOptions().flag('DataExportEnabled')
  return [
    route({
      method: 'GET',
      path: '/api/data/',
      access: 'admin',
      summary: 'Consumption by hour and model, of everybody or of one user',
      reads: READS,
      query: rangeQuery,
      answer: { data: z.array(useAnswer) },
      example: { query: { ...EXAMPLE_RANGE, username: 'ann' }, data: [EXAMPLE_USE] },
      handle: async ({ query }) => {
        if (isHidden()) return { data: [] }
        const { username } = query
        if (username === '') {
          return { data: (await hourlyUse(reads, rangeOf(query, null))).map(entity(0, '')) }
        }
        const userId = await deps.names.userIdByName(username)
        if (userId === null) return { data: [] }
        return {
          data: (await hourlyUse(reads, rangeOf(query, userId))).map(entity(userId, username)),
        }
      },
    }),
    route({
      method: 'GET',
      path: '/api/data/self',
      access: 'user',
      summary: 'The caller’s own consumption by hour and model, over at most a month',
      reads: READS,
      query: rangeQuery,
      answer: { data: z.array(useAnswer) },
      example: { query: EXAMPLE_RANGE, data: [EXAMPLE_USE] },
      handle: async (request) => {
        const { userId, username } = callerOf(request)
        if (isTooLong(request.query)) return failure('时间跨度不能超过 1 个月')
        if (isHidden()) return { data: [] }
        const uses = await hourlyUse(reads, rangeOf(request.query, userId))
        return { data: uses.map(entity(userId, username)) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/data/top',
      access: 'admin',
      summary: 'The users, tokens or channels that consumed most',
      reads: READS,
      query: topQuery,
      answer: { data: z.array(topAnswer) },
      example: { query: { ...EXAMPLE_RANGE, by: 'token', limit: '10' }, data: [EXAMPLE_TOP] },
      handle: async ({ query }) => ({
        data: isHidden() ? [] : await top(deps, rangeOf(query, null), query.by, query.limit),
      }),
    }),
    route({
      method: 'GET',
      path: '/api/data/self/top',
      access: 'user',
      summary: 'The caller’s tokens that consumed most, over at most a month',
      reads: READS,
      query: topQuery,
      answer: { data: z.array(topAnswer) },
      example: { query: EXAMPLE_RANGE, data: [EXAMPLE_TOP] },
      handle: async (request) => {
        if (isTooLong(request.query)) return failure('时间跨度不能超过 1 个月')
        const range = rangeOf(request.query, callerOf(request).userId)
        return { data: isHidden() ? [] : await top(deps, range, 'token', request.query.limit) }
      },
    }),
  ]
}

interface Bounds {
  readonly start_timestamp: number
  readonly end_timestamp: number
}

const rangeOf = (query: Bounds, userId: number | null): DataRange => ({
  from: query.start_timestamp,
  to: query.end_timestamp,
  userId,
})

const isTooLong = (query: Bounds): boolean =>
  query.end_timestamp - query.start_timestamp > SELF_SPAN_SECONDS

const entity =
  (userId: number, username: string) =>
  ({ model, hour, count, quota, tokens }: HourlyUse): object => ({
    id: 0,
    user_id: userId,
    username,
    model_name: model,
    created_at: hour,
    token_used: tokens,
    count,
    quota,
  })

async function top(
  { reads, names }: DashboardDeps,
  range: DataRange,
  by: TopDimension,
  limit: number,
): Promise<readonly object[]> {
  const uses = await topUse(reads, range, by, limit)
  const ids = distinctIds(uses.map((use) => use.id))
  const named = await { user: names.users, token: names.tokens, channel: names.channels }[by](ids)
  return uses.map(({ id, count, quota, tokens }) => ({
    id,
    name: named.get(id) ?? '',
    count,
    quota,
    token_used: tokens,
  }))
}
