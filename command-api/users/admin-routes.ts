import { z } from 'zod'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  callerOf,
  type Example,
  failure,
  route,
} from '@tollgate/domain/ports/api-route.ts'
import { queryIntOf, queryTextOf } from '@tollgate/domain/ports/wire-values.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import type { Authority } from '@tollgate/domain/user/decider.ts'
import { accountRejectionMessage } from '../http/account-messages.ts'
import { int, lenientBody, optional, text } from '../http/body.ts'
import { pageOf } from '../http/answer.ts'
import { causeOf } from '../http/cause.ts'
import { idInPath, queryInt, queryText } from '../http/query.ts'
import { whyLoadedQuotaUnfit, whyQuotaUnfit } from '../http/quota-bounds.ts'
import { quotaText } from '../http/quota-text.ts'
import { UsernameTaken, usernameTakenMessage } from '../identity/taken.ts'
import type { User, UserChange } from '../identity/users.ts'
import type { CommandOutcome } from '../ledger/account-ledger.ts'
import type { CommandCause } from '../ledger/cause.ts'
import { hasCaused, type OnlyOnce } from '../ledger/caused-before.ts'
import type { TakenRequest } from '../ledger/posted-requests.ts'
import { KEY_USED_OTHERWISE, type UserRouteDeps, updateRow } from './self-routes.ts'
import { signUp } from './sign-up.ts'
import { changeStanding, type StandingChange, whyStandingStays } from './standing.ts'
import { EMPTY_USER, standingEntity, userEntity } from './user-entity.ts'
import { EXAMPLE_USER, userAnswer } from './user-answer.ts'
import { invalidUserMessage } from './validate.ts'

const NOT_FOUND = 'record not found'
const TEXTS = {
  invalid: '无效的参数',
  nameOrPasswordMissing: '用户名和密码不能为空！',
  unknown: '用户不存在',
  noId: 'id 为空！',
  taken: usernameTakenMessage({ why: 'taken' }),
  mayNotSee: '无权获取同级或更高等级用户的信息',
  mayNotUpdate: '无权更新同权限等级或更高权限等级的用户信息',
  mayNotRaise: '无权将其他用户权限等级提升到大于等于自己的权限等级',
  mayNotCreate: '无法创建权限大于等于自己的用户',
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
    handle: ({ query }) => pageOfUsers(deps, { keyword: '', group: '', ids: null }, query),
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
    handle: async ({ query }) => {
      const { quota: posted, request_count: requestCount } = query
      const isByNumbers = posted !== null || requestCount !== null
      const ids = isByNumbers
        ? await deps.usersWithAtLeast({
            ...(posted !== null && { posted }),
            ...(requestCount !== null && { requestCount }),
          })
        : null
      return pageOfUsers(deps, { keyword: query.keyword.trim(), group: query.group, ids }, query)
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
      return change(deps, user, { type: 'DeleteUser' }, request)
    },
  }),
]

const EXAMPLE_PAGE: Example = {
  query: { p: '1', page_size: '10' },
  data: { items: [EXAMPLE_USER], total: 1, page: 1, page_size: 10 },
}
/** Role and status are all that it says; the other fields are at zero. */
const STANDING = { data: userAnswer } as const
const EXAMPLE_STANDING = { ...EMPTY_USER, role: 1, status: 2 } as const

const PAGE = { p: queryInt(), page_size: queryInt() } as const
const PAGE_SIZE_DEFAULT = 10
const PAGE_SIZE_MAX = 100

async function pageOfUsers(
  deps: UserRouteDeps,
  wanted: Parameters<UserRouteDeps['users']['page']>[0],
  query: { readonly p: number; readonly page_size: number },
): Promise<ApiReply> {
  const page = Math.max(query.p, 1)
  const limit = Math.min(query.page_size < 1 ? PAGE_SIZE_DEFAULT : query.page_size, PAGE_SIZE_MAX)
  const found = await deps.users.page(wanted, { offset: (page - 1) * limit, limit })
  const figures = await deps.figures(found.users.map((user) => user.id))
  const items = found.users.map((user) => userEntity(user, figures.get(user.id)))
  return { data: { items, total: found.total, page, page_size: limit } }
}

const addRoute = (deps: UserRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/user',
    access: 'admin',
    summary: 'Add a user of role 1',
    body: lenientBody({ username: text(), password: text(), display_name: text(), role: int() }),
    answer: {},
    example: { body: { username: 'ann', password: 'correct horse', display_name: 'Ann' } },
    handle: async (request) => {
      const { body } = request
      const username = body.username.trim()
      if (username === '' || body.password === '') return failure(TEXTS.nameOrPasswordMissing)
      const displayName = body.display_name === '' ? username : body.display_name
      const invalid = invalidUserMessage({
        username,
        password: body.password,
        display_name: displayName,
      })
      if (invalid !== null) return failure(invalid)
      if (body.role >= callerOf(request).role) return failure(TEXTS.mayNotCreate)
      const passwordHash = await deps.passwords.hash(body.password)
      try {
        const { position } = await signUp(
          deps,
          { username, displayName, passwordHash },
          causeOf(request),
        )
        return { wrote: position }
      } catch (error) {
        if (error instanceof UsernameTaken) return failure(usernameTakenMessage(error))
        throw error
      }
    },
  })

const updateRoute = (deps: UserRouteDeps): ApiRoute =>
  route({
    method: 'PUT',
    path: '/api/user',
    access: 'admin',
    summary:
      'Change name, group, password or balance of a user; the balance by difference, once for each Idempotency-Key (a header)',
    body: lenientBody({
      id: int(),
      username: optional(text()),
      display_name: optional(text()),
      password: text(),
      group: optional(text()),
      role: int(),
      quota: optional(int()),
      // The balance that the form had loaded, so that charges in between are kept (decision 9).
      quota_before: optional(int()),
    }),
    answer: {},
    example: {
      body: {
        id: 7,
        username: 'ann',
        display_name: 'Ann',
        group: 'vip',
        quota: 1_000_000,
        quota_before: 500_000,
      },
    },
    handle: async (request) => {
      const { body } = request
      if (body.id <= 0) return failure(TEXTS.invalid)
      const user = await deps.users.byId(body.id)
      if (user === null) return failure(NOT_FOUND)
      const refusal = whyUpdateUnfit(user, body, callerOf(request).role)
      if (refusal !== null) return failure(refusal)
      return updateUser(deps, user, body, request)
    },
  })

interface UserForm {
  readonly username?: string | undefined
  readonly display_name?: string | undefined
  readonly password: string
  readonly group?: string | undefined
  readonly role: number
  readonly quota?: number | undefined
  readonly quota_before?: number | undefined
}

function whyUpdateUnfit(user: User, form: UserForm, callerRole: number): string | null {
  if (form.username?.trim() === '') return TEXTS.invalid
  const invalid = invalidUserMessage({
    ...(form.username !== undefined &&
      form.username.trim() !== user.username && { username: form.username.trim() }),
    ...(form.display_name !== undefined &&
      form.display_name !== user.displayName && { display_name: form.display_name }),
    ...(form.password !== '' && { password: form.password }),
  })
  if (invalid !== null) return invalid
  if (!isAbove(callerRole, user)) return TEXTS.mayNotUpdate
  if (form.role >= callerRole && callerRole !== 100) return TEXTS.mayNotRaise
  return (
    whyQuotaUnfit('用户额度', form.quota ?? 0) ??
    whyLoadedQuotaUnfit('用户额度', form.quota_before ?? 0)
  )
}

/**
 * Everything is asked before anything is changed. The balance goes first of what is: only its change can still be
 * refused then, by a charge that has come meanwhile, and a refused form must have changed nothing.
 */
async function updateUser(
  deps: UserRouteDeps,
  user: User,
  form: UserForm,
  request: ApiRequest,
): Promise<ApiReply> {
  const regroup: StandingChange | null =
    form.group === undefined || form.group === user.group
      ? null
      : { type: 'ChangeUserGroup', group: form.group }
  const refusal =
    regroup === null ? null : await whyStandingStays(deps, user, regroup, authorityOf(request))
  if (refusal !== null) return failure(refusal)
  const username = form.username?.trim()
  const isRenamed = username !== undefined && username !== user.username
  if (isRenamed && (await deps.users.isNameTaken(username, user.id))) {
    return failure(TEXTS.taken)
  }
  const row: UserChange = {
    ...(username !== undefined && { username }),
    ...(form.display_name !== undefined && { displayName: form.display_name }),
    ...(form.password !== '' && { passwordHash: await deps.passwords.hash(form.password) }),
  }
  const posted = await postedEdit(deps, user, form, request)
  if (posted === 'otherwise') return failure(KEY_USED_OTHERWISE)
  const isAdjusted = posted === 'adjusted'
  const adjustment = isAdjusted ? null : await adjustmentOf(deps, user, form)
  const replies: ApiReply[] = []
  if (adjustment !== null && !isAdjusted) {
    const adjusted = await adjustQuota(deps, user, adjustment, { request, posted })
    if (adjusted.success === false) return adjusted
    replies.push(adjusted)
  }
  const taken = await updateRow(deps, user, row)
  if (taken !== null) return taken
  if (regroup !== null) replies.push(await change(deps, user, regroup, request))
  const failed = replies.find((reply) => reply.success === false)
  const wrote = Math.max(-1, ...replies.map((reply) => reply.wrote ?? -1))
  return failed ?? (wrote < 0 ? {} : { wrote })
}

/**
 * Whether this edit of a balance was posted before: the difference to what the form had loaded would be made twice. Such
 * a form is known by its key, or by coming again within seconds. Null when nothing can be made twice.
 */
async function postedEdit(
  { postedRequests, store }: UserRouteDeps,
  { id }: User,
  { quota: after, quota_before: before }: UserForm,
  request: ApiRequest,
): Promise<TakenRequest | 'adjusted' | 'otherwise' | null> {
  const key = request.idempotencyKey
  if (after === undefined || (key === null && before === undefined)) return null
  const contents = `${id} from ${before ?? 'present'} to ${after}`
  const user = callerOf(request).userId
  const taken = await postedRequests.take({ user, operation: 'quota-edit', key, contents })
  if (taken === null) return 'otherwise'
  return taken.isRepeated && (await hasCaused(store, accountStream(id), taken)) ? 'adjusted' : taken
}

/** Decision 9: by difference to what the form had loaded, never an overwrite of a live balance. */
interface Adjustment {
  readonly before: number
  readonly after: number
}

async function adjustmentOf(
  deps: UserRouteDeps,
  user: User,
  { quota: after, quota_before: loaded }: UserForm,
): Promise<Adjustment | null> {
  if (after === undefined) return null
  const before = loaded ?? (await deps.ledger.inspect(user.id, ({ posted }) => posted))
  return before === after ? null : { before, after }
}

async function adjustQuota(
  deps: UserRouteDeps,
  user: User,
  { before, after }: Adjustment,
  { request, posted }: { readonly request: ApiRequest; readonly posted: TakenRequest | null },
): Promise<ApiReply> {
  const options = deps.options.current()
  const reason = `管理员将用户额度从 ${quotaText(before, options)}修改为 ${quotaText(after, options)}`
  const amount = quota(Math.abs(after - before))
  const cause = causeOf(request, posted?.causationId)
  const once = (eventType: OnlyOnce['eventType']) =>
    posted === null ? {} : { onlyOnceFrom: { eventType, position: posted.position } }
  const outcome =
    after > before
      ? await deps.ledger.execute(
          user.id,
          { type: 'CreditQuota', amount, source: 'grant', reason },
          cause,
          once('QuotaCredited'),
        )
      : await debit(deps, user, { amount, reason }, cause, once('QuotaDebited'))
  return outcome.status === 'rejected'
    ? failure(accountRejectionMessage(outcome.rejection))
    : { wrote: outcome.position }
}

/** Held quota may be idle: it is called back before a debit is refused (architecture 6, rule 11). */
async function debit(
  deps: UserRouteDeps,
  user: User,
  wanted: { readonly amount: Quota; readonly reason: string },
  cause: CommandCause,
  once: { readonly onlyOnceFrom?: OnlyOnce },
): Promise<CommandOutcome> {
  const command = { type: 'DebitQuota', ...wanted } as const
  const first = await deps.ledger.execute(user.id, command, cause, once)
  if (first.status === 'done' || first.rejection.reason !== 'insufficient-quota') return first
  await deps.recallIdleQuota(user.id)
  return deps.ledger.execute(user.id, command, cause, once)
}

const ACTIONS: ReadonlyMap<string, StandingChange> = new Map<string, StandingChange>([
  ['disable', { type: 'BanUser' }],
  ['enable', { type: 'ReinstateUser' }],
  ['delete', { type: 'DeleteUser' }],
  ['promote', { type: 'ChangeUserRole', role: 10 }],
  ['demote', { type: 'ChangeUserRole', role: 1 }],
])

const manageRoute = (deps: UserRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/user/manage',
    access: 'admin',
    summary: 'disable, enable, delete, promote or demote a user',
    body: lenientBody({ id: int(), action: text() }),
    answer: STANDING,
    example: { body: { id: 7, action: 'disable' }, data: EXAMPLE_STANDING },
    handle: async (request) => {
      const user = await deps.users.byId(request.body.id, { isDeletedWanted: true })
      if (user === null) return failure(TEXTS.unknown)
      // Before the action is looked at: whoever may not act on somebody learns nothing of them either.
      if (!isAbove(callerOf(request).role, user)) return failure(TEXTS.mayNotUpdate)
      const action = ACTIONS.get(request.body.action)
      // An unknown action does nothing and succeeds (console-api 2.5).
      return action === undefined
        ? { data: standingEntity(user) }
        : change(deps, user, action, request)
    },
  })

async function change(
  deps: UserRouteDeps,
  user: User,
  wanted: StandingChange,
  request: ApiRequest,
): Promise<ApiReply> {
  const changed = await changeStanding(deps, user, wanted, authorityOf(request), causeOf(request))
  return changed.status === 'rejected'
    ? failure(changed.message)
    : { data: standingEntity(changed.user), wrote: changed.position }
}

/** Only leaving by oneself (DELETE /api/user/self) counts as acting on one's own account. */
const authorityOf = (request: ApiRequest): Authority => ({
  role: callerOf(request).role,
  isSelf: false,
})

/** Root sees and changes everybody, others only those below themselves. */
const isAbove = (role: number, user: User): boolean => role === 100 || role > user.role

/** A lower bound in a query; none where it is absent, unparsable or beyond 2^53 (console-api 1.2). */
const leastOf = () =>
  z.preprocess((written) => {
    const number = queryIntOf(written)
    return number === 0 && !ZERO.test(queryTextOf(written)) ? null : number
  }, z.int().nullable())

const ZERO = /^[+-]?0+$/
