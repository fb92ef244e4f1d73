import { z } from 'zod'
import {
  type ApiReply,
  type ApiRoute,
  type Caller,
  callerOf,
  type Example,
  failure,
  route,
} from '@tollgate/domain/ports/api-route.ts'
import { queryIntOf, queryTextOf } from '@tollgate/domain/ports/wire-values.ts'
import { pageOf } from '../../http/answer.ts'
import { idInPath, queryPage, queryPageSize, queryText } from '../../http/query.ts'
import type { UserRouteDeps } from '../self-routes.ts'
import { strangerEntity, userEntity } from '../user-entity.ts'
import type { UserSearch } from '../../identity/users.ts'
import { EXAMPLE_USER, userAnswer } from '../user-answer.ts'
import { addRoute } from './add-route.ts'
import { changeUser, EXAMPLE_STANDING, STANDING } from './change-user.ts'
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
    query: z.object(PAGE),
    answer: { data: pageOf(userAnswer) },
    example: EXAMPLE_PAGE,
    handle: (request) =>
      pageOfUsers(deps, { keyword: '', group: '', ids: null }, request.query, callerOf(request)),
  }),
  route({
    method: 'GET',
    path: '/api/user/search',
    access: 'admin',
    reads: ['balances'],
    summary: 'Users by keyword and group, with at least this balance and number of requests',
    query: z.object({
      ...PAGE,
      keyword: queryText(),
      group: queryText(),
      quota: leastOf(),
      request_count: leastOf(),
    }),
    answer: { data: pageOf(userAnswer) },
    example: {
      ...EXAMPLE_PAGE,
      query: { keyword: 'ann', group: 'default', quota: '1000', p: '1', page_size: '10' },
    },
    handle: async (request) => {
      const { query } = request
      const { quota: posted, request_count: requestCount } = query
      const isByNumbers = posted !== null || requestCount !== null
      const ids = isByNumbers
        ? await deps.usersWithAtLeast({
            ...(posted !== null && { posted }),
            ...(requestCount !== null && { requestCount }),
          })
        : null
      const wanted = { keyword: query.keyword.trim(), group: query.group, ids }
      return pageOfUsers(deps, wanted, query, callerOf(request))
    },
  }),
  route({
    method: 'GET',
    path: '/api/user/:id',
    access: 'admin',
    reads: ['balances'],
    summary: 'One user',
    params: idInPath,
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
    params: idInPath,
    answer: STANDING,
    example: { params: { id: '7' }, data: EXAMPLE_STANDING },
    handle: async (request) => {
      const { id } = request.params
      if (id === 0) return failure(TEXTS.noId)
      const user = await deps.users.byId(id)
      if (user === null) return failure(NOT_FOUND)
      if (callerOf(request).role <= user.role) return failure(TEXTS.mayNotDelete)
      return changeUser(deps, user, { type: 'DeleteUser' }, request)
    },
  }),
]

const EXAMPLE_PAGE: Example = {
  query: { p: '1', page_size: '10' },
  data: { items: [EXAMPLE_USER], total: 1, page: 1, page_size: 10 },
}

const PAGE = { p: queryPage(), page_size: queryPageSize() } as const

async function pageOfUsers(
  deps: UserRouteDeps,
  wanted: Omit<UserSearch, 'reader'>,
  query: { readonly p: number; readonly page_size: number },
  reader: Pick<Caller, 'userId' | 'role'>,
): Promise<ApiReply> {
  const page = Math.max(query.p, 1)
  const limit = query.page_size
  const found = await deps.users.page({ ...wanted, reader }, { offset: (page - 1) * limit, limit })
  const figures = await deps.figures(found.users.map((user) => user.id))
  const items = found.users.map((user) => {
    const maySee = isAbove(reader.role, user) || user.id === reader.userId
    return (maySee ? userEntity : strangerEntity)(user, figures.get(user.id))
  })
  return { data: { items, total: found.total, page, page_size: limit } }
}

/** A lower bound in a query; none where it is absent, unparsable or beyond 2^53 (console-api 1.2). */
const leastOf = () =>
  z.preprocess((written) => {
    const number = queryIntOf(written)
    return number === 0 && !ZERO.test(queryTextOf(written)) ? null : number
  }, z.int().nullable())

const ZERO = /^[+-]?0+$/
