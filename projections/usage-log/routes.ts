import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  callerOf,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { pageOf } from '../http/answer.ts'
import type { Names } from '../http/names.ts'
import {
  queryFlag,
  queryInt,
  queryPage,
  queryPageSize,
  queryPageSizeUpTo,
  queryText,
} from '../http/query.ts'
import {
  EXAMPLE_LOG,
  EXAMPLE_QUERY,
  EXAMPLE_STATISTICS,
  logAnswer,
  statisticsAnswer,
} from './answers.ts'
import {
  adminEntity,
  type LogEntity,
  type RowNames,
  selfEntity,
  tokenlessGroupOf,
} from './entity.ts'
import type { LogFilter } from './filter.ts'
import { exportedRows, LOG_CSV_COLUMNS } from './export-rows.ts'
import { pricedBy } from './priced-by.ts'
import { distinctPage, logPage, logStatistics } from './queries.ts'
import { FAILURE, type LogRow, TOP_UP } from './row.ts'
import { searchLog } from './search.ts'
import { type TellingDeps, tellRows } from './tell-rows.ts'
import { allowedIpsOf } from '../tokens/queries.ts'
import type { ReadAddresses } from '../tokens/routes.ts'

export interface UsageLogDeps extends TellingDeps {
  readonly reads: CommonQueryMethods
  readonly clock: Clock
  /** The row with this key (without `sk-`), for the public look at a key's own log; the event log may know nothing of it. */
  readonly findTokenByKey: (key: string) => Promise<{ readonly id: number } | null>
  /** Whether a client's address is on a token's list (decision 21); an empty list allows all. */
  readonly readAddresses: ReadAddresses
  readonly isAllowedAddress: (address: string, allowed: readonly string[]) => boolean
}

const LOG_TYPES =
  'Type of the rows: 1 = top-up, 2 = consumption, 3 = management, 4 = system, 5 = failure; 0 = all'

const filterQuery = z.object({
  type: queryInt().meta({ description: LOG_TYPES, enum: [0, 1, 2, 3, 4, 5] }),
  start_timestamp: queryInt().describe(
    'Rows from this moment on, in unix seconds; 0 = from the first',
  ),
  end_timestamp: queryInt().describe(
    'Rows up to and with this second, in unix seconds; 0 = up to the last',
  ),
  username: queryText().describe(
    'Rows of the user with this name; empty = of all. Not read in one’s own log',
  ),
  token_name: queryText().describe('Rows of tokens with exactly this name; empty = of all'),
  model_name: queryText().describe('Model, with the wildcards % and _ of SQL LIKE; empty = all'),
  channel: queryInt().describe(
    'Rows of the channel with this id; 0 = of all. Not read in one’s own log',
  ),
  group: queryText().describe('Rows charged in this group; empty = in all'),
  price_revision: queryText().describe(
    'Consumption priced by the revision of prices with this number, as /api/ledger/prices lists it; 0 = by the defaults, empty = by any. Not read in one’s own log',
  ),
  is_distance: queryFlag().describe(
    'Whether only the newest row of each user, token, model and channel is wanted; default false',
  ),
})
type FilterQuery = z.output<typeof filterQuery>
const pageQuery = filterQuery.extend({ p: queryPage(1), page_size: queryPageSize() })
const searchQuery = z.object({
  keyword: queryText().describe(
    'Type of the rows as a number, beginning of their text, or a whole request id; empty finds all',
  ),
})
const selfSearchQuery = z.object({
  keyword: queryText().describe('Type of the rows as a number: 1 to 5; empty finds none'),
})

/** Only administrators filter by a revision of prices, which its own read model resolves. */
const READS = ['usage-log'] as const
const FILTER_READS = [...READS, 'prices'] as const
/** By the contract (console-api 2.10). */
const SELF_PAGE_MOST = 100
const selfPageQuery = pageQuery.extend({ page_size: queryPageSizeUpTo(SELF_PAGE_MOST) })
const SEARCH_ROWS = 100
const TOKEN_LOG_ROWS = 1_000

/** Reading the usage log (console-api 2.10); clearing it is a command. */
export function usageLogRoutes(deps: UsageLogDeps): readonly ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/api/log/',
      access: 'admin',
      summary: 'The usage log of all users, newest first; pages from 1',
      reads: FILTER_READS,
      query: pageQuery,
      csv: {
        name: 'log',
        columns: LOG_CSV_COLUMNS,
        async *batches({ query }: { readonly query: z.output<typeof pageQuery> }) {
          const filter = await filterOf(deps, query, null)
          yield* exportedRows(deps, filter, query.is_distance, adminEntity)
        },
      },
      answer: { data: pageOf(logAnswer) },
      example: {
        query: EXAMPLE_QUERY,
        data: { items: [EXAMPLE_LOG], total: 1, page: 1, page_size: 10 },
      },
      handle: async ({ query }) => {
        const filter = await filterOf(deps, query, null)
        return page(deps, filter, query, adminEntity)
      },
    }),
    route({
      method: 'GET',
      path: '/api/log/self',
      access: 'user',
      summary: 'The caller’s own usage log, newest first; pages from 1',
      reads: READS,
      query: selfPageQuery,
      csv: {
        name: 'log',
        columns: LOG_CSV_COLUMNS,
        async *batches(request: ApiRequest<unknown, z.output<typeof selfPageQuery>>) {
          const filter = await filterOf(deps, request.query, callerOf(request).userId)
          yield* exportedRows(deps, filter, request.query.is_distance, selfEntity)
        },
      },
      answer: { data: pageOf(logAnswer) },
      example: {
        query: EXAMPLE_QUERY,
        data: { items: [EXAMPLE_LOG], total: 1, page: 1, page_size: 10 },
      },
      handle: async (request) => {
        const filter = await filterOf(deps, request.query, callerOf(request).userId)
        return page(deps, filter, request.query, selfEntity)
      },
    }),
    route({
      method: 'GET',
      path: '/api/log/stat',
      access: 'admin',
      summary: 'Quota and tokens consumed under a filter, and of the last minute',
      reads: FILTER_READS,
      query: filterQuery,
      answer: { data: statisticsAnswer },
      example: { query: EXAMPLE_QUERY, data: EXAMPLE_STATISTICS },
      handle: async ({ query }) => statistics(deps, await filterOf(deps, query, null)),
    }),
    route({
      method: 'GET',
      path: '/api/log/self/stat',
      access: 'user',
      summary: 'The caller’s own consumption under a filter',
      reads: READS,
      query: filterQuery,
      answer: { data: statisticsAnswer },
      example: { query: EXAMPLE_QUERY, data: EXAMPLE_STATISTICS },
      handle: async (request) =>
        statistics(deps, await filterOf(deps, request.query, callerOf(request).userId)),
    }),
    route({
      method: 'GET',
      path: '/api/log/search',
      access: 'admin',
      summary: 'The newest rows by type, beginning of the text, or request id',
      reads: READS,
      query: searchQuery,
      answer: { data: z.array(logAnswer) },
      example: { query: { keyword: '2' }, data: [EXAMPLE_LOG] },
      handle: async ({ query }) => {
        const rows = await searchLog(deps.reads, query.keyword, SEARCH_ROWS)
        return { data: await tellRows(deps, rows, adminEntity) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/log/self/search',
      access: 'user',
      summary: 'The caller’s newest rows of a type',
      reads: READS,
      query: selfSearchQuery,
      answer: { data: z.array(logAnswer) },
      example: { query: { keyword: '2' }, data: [EXAMPLE_LOG] },
      handle: async (request) => {
        const type = Number(request.query.keyword)
        if (!Number.isInteger(type)) return { data: [] }
        const filter = { type: knownType(type), userId: callerOf(request).userId }
        const { rows } = await logPage(deps.reads, filter, 1, SEARCH_ROWS)
        return { data: await tellRows(deps, rows, selfEntity) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/log/token',
      access: 'public',
      isForAnySite: true,
      summary:
        'The newest thousand rows of the token whose key is given, oldest first, for pages of any site',
      query: z.object({ key: queryText().describe('The token’s key, with or without sk-') }),
      answer: { data: z.array(logAnswer) },
      example: { query: { key: 'sk-…' }, data: [EXAMPLE_LOG] },
      handle: ({ query, ip }) => tokenLog(deps, query.key, ip),
    }),
  ]
}

async function tokenLog(deps: UsageLogDeps, key: string, ip: string): Promise<ApiReply> {
  const token = await deps.findTokenByKey(key.replace(/^sk-/, ''))
  const allowedIps = token === null ? null : await allowedIpsOf(deps.reads, token.id)
  if (token === null || allowedIps === null) return nothing('令牌不存在，请检查 key 参数')
  const [addresses = []] = await deps.readAddresses([allowedIps])
  if (!deps.isAllowedAddress(ip, addresses)) {
    return nothing('您的 IP 不在令牌允许访问的列表中')
  }
  const { rows } = await logPage(deps.reads, { tokenIds: [token.id] }, 1, TOKEN_LOG_ROWS)
  return { data: await tellRows(deps, rows.toReversed(), selfEntity) }
}

/** Pages that show a key's log go over `data` whatever the answer is. */
const nothing = (message: string): ApiReply => ({ success: false, message, data: [] })

async function page(
  deps: UsageLogDeps,
  filter: LogFilter | null,
  query: z.output<typeof pageQuery>,
  entity: (row: LogRow, names: RowNames) => LogEntity,
): Promise<ApiReply> {
  const number = Math.max(1, query.p)
  const size = query.page_size
  const find = query.is_distance ? distinctPage : logPage
  const found =
    filter === null ? { rows: [], total: 0 } : await find(deps.reads, filter, number, size)
  const items = await tellRows(deps, found.rows, entity)
  return { data: { items, total: found.total, page: number, page_size: size } }
}

async function statistics(deps: UsageLogDeps, filter: LogFilter | null): Promise<ApiReply> {
  if (filter === null) return { data: { quota: 0, token: 0, rpm: 0, tpm: 0, failed: 0 } }
  const { tokens, ...figures } = await logStatistics(deps.reads, filter, deps.clock.now())
  return { data: { ...figures, token: tokens } }
}

/** The filter that a query asks for; null when it names a user or a revision of prices that does not exist. */
async function filterOf(
  { reads, names }: UsageLogDeps,
  query: FilterQuery,
  self: number | null,
): Promise<LogFilter | null> {
  const isNamed = self === null && query.username !== ''
  const userId = isNamed ? await names.userIdByName(query.username) : self
  if (isNamed && userId === null) return null
  const filter: LogFilter = {
    ...(query.type === 0 ? {} : { type: knownType(query.type) }),
    ...(query.start_timestamp === 0 ? {} : { from: query.start_timestamp }),
    ...(query.end_timestamp === 0 ? {} : { to: query.end_timestamp }),
    ...(userId === null ? {} : { userId }),
    ...(query.token_name === '' ? {} : await tokensNamed(names, query.token_name, userId)),
    ...(query.model_name === '' ? {} : { modelPattern: query.model_name }),
    ...(self === null && query.channel !== 0 ? { channel: query.channel } : {}),
    ...(query.group === '' ? {} : { group: query.group }),
  }
  return self !== null || query.price_revision === ''
    ? filter
    : pricedBy(reads, filter, query.price_revision)
}

/** Tokens of this name, and what was spent without one under it. */
async function tokensNamed(
  names: Names,
  name: string,
  userId: number | null,
): Promise<Pick<LogFilter, 'tokenIds' | 'tokenlessGroup'>> {
  const tokenIds = await names.tokenIdsByName(name, userId)
  const tokenlessGroup = tokenlessGroupOf(name)
  return tokenlessGroup === null ? { tokenIds } : { tokenIds, tokenlessGroup }
}

/** A number that is no type of row finds nothing, also when the column could not hold it. */
const knownType = (type: number): number => (type >= TOP_UP && type <= FAILURE ? type : -1)
