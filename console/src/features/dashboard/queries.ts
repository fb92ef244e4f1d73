import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { Row } from '../../core/calls.ts'
import type { Self } from '../../core/contract.ts'
import type { Entered } from '../../core/read-ahead.ts'
import { sessionUser } from '../../core/session.ts'
import { selfQuery, statusQuery } from '../../core/status.ts'
import type { Range } from '../../parts/range/range.ts'
import { dayOf, dayStart } from '../../parts/time-format.ts'
import type { DashboardSearch } from './filters.ts'
import { refreshMsOf } from './refresh.ts'
import { dashboardBounds, dashboardView } from './view.ts'

/** One model's use in one hour. */
export type UsageHour = Pick<
  Row<'GET /api/data'>,
  'model_name' | 'created_at' | 'count' | 'quota' | 'token_used'
>

/** The use of one user, token or channel; id 0 = without. */
export type TopUse = Row<'GET /api/data/top'>

/** Use in a range, with the bounds it was asked for. */
export interface RangeUse {
  readonly start: number
  readonly end: number
  readonly rows: readonly UsageHour[]
}

/** The fields of an account that the dashboard shows. */
export type Account = Pick<Self, 'id' | 'quota' | 'held' | 'used_quota' | 'request_count'>

/** The account of a user by name, for administrators; null when there is no such user. */
export function accountQuery(username: string) {
  return queryOptions({
    queryKey: ['dashboard', 'account', username],
    queryFn: async ({ signal }): Promise<Account | null> => {
      const query = { keyword: username, p: 1, page_size: FOUND_MAX }
      const { items } = await get('/api/user/search', query, signal)
      return items.find((user) => user.username === username) ?? null
    },
  })
}

/** So many users are looked through for the one of exactly this name. */
const FOUND_MAX = 100

/** By whom or what a top list counts. */
export type TopBy = 'user' | 'token' | 'channel'

/** The kinds of top lists: of everybody for administrators, else the caller's own. */
export const topsOf = (isAdmin: boolean): readonly TopBy[] =>
  isAdmin ? ['user', 'channel', 'token'] : ['token']

const TOP_LIMIT = 10

/** Hourly use by model: of everybody or of one user for administrators, else the caller's own. */
export function usageQuery(range: Range, username: string, isAdmin: boolean, refreshMs: number) {
  return queryOptions({
    queryKey: ['dashboard', 'usage', range, username, isAdmin],
    queryFn: async ({ signal }): Promise<RangeUse> => {
      const { start, end } = dashboardBounds(range, isAdmin, nowSeconds())
      const bounds = { start_timestamp: start, end_timestamp: end }
      const path = isAdmin ? '/api/data/' : '/api/data/self'
      const query = isAdmin ? { ...bounds, username } : bounds
      return { start, end, rows: await get(path, query, signal) }
    },
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
}

/** Hourly use since the day began in the reader's zone. */
export const todayQuery = (username: string, isAdmin: boolean, refreshMs: number) =>
  usageQuery({ type: 'custom', start: dayStart(dayOf(nowSeconds())) }, username, isAdmin, refreshMs)

/** The biggest consumers in a range. Users see their own tokens only. */
export function topQuery(range: Range, by: TopBy, isAdmin: boolean, refreshMs: number) {
  return queryOptions({
    queryKey: ['dashboard', 'top', range, by, isAdmin],
    queryFn: ({ signal }) => {
      const { start, end } = dashboardBounds(range, isAdmin, nowSeconds())
      const bounds = { start_timestamp: start, end_timestamp: end, limit: TOP_LIMIT }
      return isAdmin
        ? get('/api/data/top', { ...bounds, by }, signal)
        : get('/api/data/self/top', bounds, signal)
    },
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
}

/** Reads what the dashboard shows first, once the public settings say by what it counts. */
export async function readAhead(entered: Entered<DashboardSearch>): Promise<void> {
  const { client, search, isAdmin } = entered
  if (search.source !== undefined || search.over !== undefined) return
  const status = await client.ensureQueryData(statusQuery)
  if (!status.enable_data_export) return
  const byDefault = status.data_export_default_time
  const { range, username } = dashboardView(search, byDefault, nowSeconds())
  const refreshMs = refreshMsOf(status.data_export_interval)
  void client.prefetchQuery(usageQuery(range, username, isAdmin, refreshMs))
  void client.prefetchQuery(todayQuery(username, isAdmin, refreshMs))
  if (username === '' || username === sessionUser()?.username) void client.prefetchQuery(selfQuery)
  else void client.prefetchQuery(accountQuery(username))
  if (username !== '') return
  for (const by of topsOf(isAdmin))
    void client.prefetchQuery(topQuery(range, by, isAdmin, refreshMs))
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
