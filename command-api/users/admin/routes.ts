import { z } from 'zod'
import {
  type ApiReply,
  type ApiRoute,
  type Caller,
  callerOf,
  type CsvList,
  type Example,
  failure,
  route,
} from '../../http-contract/api-route.ts'
import { below } from '../../http-contract/csv-batches.ts'
import { queryIntOf, queryTextOf } from '../../http-contract/request-values.ts'
import { pageOf } from '../../http/answer.ts'
import { idInPath, queryPage, queryPageSize, queryText } from '../../http/query.ts'
import type { UserRouteDeps } from '../self-routes.ts'
import { strangerEntity, type UserEntity, userEntity } from '../user-entity.ts'
import type { User, UserSearch } from '../../identity/users.ts'
import { EXAMPLE_USER, userAnswer } from '../user-answer.ts'
import { addRoute } from './add-route.ts'
import { changeUser, EXAMPLE_USER_STATUS, USER_STATUS } from './change-user.ts'
import { isAbove } from './is-above.ts'
import { manageRoute } from './manage-route.ts'
import { NOT_FOUND, updateRoute } from './update-route.ts'

const TEXTS = {
  noId: 'id 为空！',
  mayNotSee: '无权获取同级或更高等级用户的信息',
  mayNotDelete: '无权删除同权限等级或更高权限等级的用户',
} as const

/** Administration of users below one's own level (console-api 2.5). */
export const userAdminRoutes = (deps: UserRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/user',
    access: 'admin',
    reads: ['balances'],
    summary: 'One page of users, deleted ones too',
    query: PAGE_QUERY,
    csv: usersCsv<z.output<typeof PAGE_QUERY>>(deps, () => Promise.resolve(EVERYBODY)),
    answer: { data: pageOf(userAnswer) },
    example: EXAMPLE_PAGE,
    handle: (request) => pageOfUsers(deps, EVERYBODY, request.query, callerOf(request)),
  }),
  route({
    method: 'GET',
    path: '/api/user/search',
    access: 'admin',
    reads: ['balances'],
    summary: 'Users by keyword and group, with at least this balance and number of requests',
    query: SEARCH,
    csv: usersCsv(deps, (query: z.output<typeof SEARCH>) => wantedBy(deps, query)),
    answer: { data: pageOf(userAnswer) },
    example: {
      ...EXAMPLE_PAGE,
      query: { keyword: 'ann', group: 'default', quota: '1000', p: '1', page_size: '10' },
    },
    handle: async (request) => {
      const { query } = request
      return pageOfUsers(deps, await wantedBy(deps, query), query, callerOf(request))
    },
  }),
  route({
    method: 'GET',
    path: '/api/user/:id',
    access: 'admin',
    reads: ['balances'],
    summary: 'One user',
    params: idInPath('Id of the user'),
    answer: { data: userAnswer },
    example: { params: { id: '7' }, data: EXAMPLE_USER },
    handle: async (request) => {
      const { id } = request.params
      if (id === 0) return failure(TEXTS.noId)
      const user = await deps.users.byId(id)
      if (user === null) return failure(NOT_FOUND)
      if (!isAbove(callerOf(request).role, user)) return failure(TEXTS.mayNotSee)
      return { data: userEntity(user, (await deps.figures([user.id])).get(user.id)) }
    },
  }),
  addRoute(deps),
  updateRoute(deps),
  manageRoute(deps),
  route({
    method: 'DELETE',
    path: '/api/user/:id',
    access: 'admin',
    summary: 'Delete a user; their ledger stays and their name is not reused',
    params: idInPath('Id of the user'),
    answer: USER_STATUS,
    example: { params: { id: '7' }, data: EXAMPLE_USER_STATUS },
    handle: async (request) => {
      const { id } = request.params
      if (id === 0) return failure(TEXTS.noId)
      // A user whom the same request has deleted before is answered as at first.
      const user = await deps.users.byId(id, { isDeletedWanted: request.command.id !== null })
      if (user === null) return failure(NOT_FOUND)
      const isGone = user.deletedAt !== null
      if (callerOf(request).role <= user.role)
        return failure(isGone ? NOT_FOUND : TEXTS.mayNotDelete)
      const reply = await changeUser(deps, user, { type: 'DeleteUser' }, request)
      return isGone && reply.success === false ? failure(NOT_FOUND) : reply
    },
  }),
]

const EXAMPLE_PAGE: Example = {
  query: { p: '1', page_size: '10' },
  data: { items: [EXAMPLE_USER], total: 1, page: 1, page_size: 10 },
}

const PAGE = { p: queryPage(1), page_size: queryPageSize() } as const
const PAGE_QUERY = z.object(PAGE)

const SEARCH = z.object({
  ...PAGE,
  keyword: queryText().describe(
    'Part of the user name, e-mail or display name, or the whole id; empty finds all',
  ),
  group: queryText().describe('Users of this group alone; empty finds all groups'),
  quota: leastOf().describe('Users with at least this balance, in quota; absent finds all'),
  request_count: leastOf().describe('Users with at least this many requests; absent finds all'),
})

type Wanted = Omit<UserSearch, 'reader'>
const EVERYBODY: Wanted = { keyword: '', group: '', ids: null }

async function wantedBy(deps: UserRouteDeps, query: z.output<typeof SEARCH>): Promise<Wanted> {
  const { quota: posted, request_count: requestCount } = query
  const isByNumbers = posted !== null || requestCount !== null
  const ids = isByNumbers
    ? await deps.usersWithAtLeast({
        ...(posted !== null && { posted }),
        ...(requestCount !== null && { requestCount }),
      })
    : null
  return { keyword: query.keyword.trim(), group: query.group, ids }
}

/** All that are wanted, as their reader may see them: without settings and bindings of others' making. */
const usersCsv = <Query>(
  deps: UserRouteDeps,
  wantedOf: (query: Query) => Promise<Wanted>,
): CsvList<unknown, Query> => ({
  name: 'users',
  columns: CSV_COLUMNS,
  async *batches(request) {
    const reader = callerOf(request)
    const wanted = { ...(await wantedOf(request.query)), reader }
    const batches = below(
      (before, limit) => deps.users.below(wanted, before, limit),
      (user) => user.id,
    )
    for await (const users of batches)
      yield (await entitiesOf(deps, users, reader)).map((user) => ({ ...user }))
  },
})

const CSV_COLUMNS = [
  'id',
  'username',
  'display_name',
  'role',
  'status',
  'email',
  'group',
  'quota',
  'held',
  'used_quota',
  'request_count',
  'aff_code',
  'aff_count',
  'aff_quota',
  'aff_history_quota',
  'inviter_id',
  'DeletedAt',
] as const satisfies readonly (keyof UserEntity)[]

async function pageOfUsers(
  deps: UserRouteDeps,
  wanted: Wanted,
  query: { readonly p: number; readonly page_size: number },
  reader: Pick<Caller, 'userId' | 'role'>,
): Promise<ApiReply> {
  const page = Math.max(query.p, 1)
  const limit = query.page_size
  const found = await deps.users.page({ ...wanted, reader }, { offset: (page - 1) * limit, limit })
  const items = await entitiesOf(deps, found.users, reader)
  return { data: { items, total: found.total, page, page_size: limit } }
}

async function entitiesOf(
  deps: Pick<UserRouteDeps, 'figures'>,
  users: readonly User[],
  reader: Pick<Caller, 'userId' | 'role'>,
): Promise<readonly UserEntity[]> {
  const figures = await deps.figures(users.map((user) => user.id))
  return users.map((user) => {
    const maySee = isAbove(reader.role, user) || user.id === reader.userId
    return (maySee ? userEntity : strangerEntity)(user, figures.get(user.id))
  })
}

/** A lower bound in a query; none where it is absent, unparsable or beyond 2^53 (console-api 1.2). */
function leastOf() {
  return z.preprocess((written) => {
    const number = queryIntOf(written)
    return number === 0 && !ZERO.test(queryTextOf(written)) ? null : number
  }, z.int().nullable())
}

const ZERO = /^[+-]?0+$/
