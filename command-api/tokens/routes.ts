import { type ApiRoute, type Caller, callerOf, failure, route } from '../http-contract/api-route.ts'
import { QUOTA_MAX } from '@tollgate/domain/account/limits.ts'
import type { TokenState, TokenStatus } from '@tollgate/domain/account/state.ts'
import type { TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import { EXAMPLE_TOKEN, TOKEN_SCHEMA, tokenEntity } from '../http-contract/token-entity.ts'
import { tokenId, userId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { minus, quota } from '@tollgate/domain/quota.ts'
import { accountRejectionMessage } from '../http/account-messages.ts'
import { int, lenientBody, optional } from '../http/body.ts'
import { causeOf, onceAs } from '../http/cause.ts'
import { loadedQuotaProblem } from '../http/quota-bounds.ts'
import { idInPath, queryText } from '../http/query.ts'
import type { TokenAddresses } from '../identity/token-addresses.ts'
import type { UserStore } from '../identity/users.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import type { Entropy } from '../secrets/entropy.ts'
import type { TokenSecret, TokenSecrets } from '../secrets/token-secrets.ts'
import type { LiveOptions } from '../options/live-options.ts'
import { groupProblem } from '../options/known-group.ts'
import { isAbove, MAY_NOT_UPDATE } from '../users/admin/is-above.ts'
import { issueToken } from './issue-token.ts'
import { readTokenFields, TOKEN_FIELDS, type TokenForm } from './token-fields.ts'
import { z } from 'zod'

export interface TokenRouteDeps {
  readonly ledger: Pick<AccountLedger, 'execute' | 'inspect'>
  readonly secrets: TokenSecrets
  readonly addresses: Pick<TokenAddresses, 'keep' | 'remove' | 'read'>
  readonly entropy: Entropy
  readonly clock: Pick<Clock, 'now'>
  readonly options: Pick<LiveOptions, 'current'>
  readonly users: Pick<UserStore, 'byId'>
}

const NOT_FOUND = 'record not found'
const ADMINISTRATOR = 10
const NO_USER = '用户不存在'

/** Making, changing and deleting one's own API tokens (console-api 2.8); the read side lists them. */
export const tokenRoutes = (deps: TokenRouteDeps): readonly ApiRoute[] => [
  createRoute(deps),
  updateRoute(deps),
  deleteRoute(deps),
]

const createRoute = (deps: TokenRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/token',
    access: 'user',
    summary: 'Make an API token; its key is in the list',
    body: lenientBody({
      ...TOKEN_FIELDS,
      user_id: int().meta({
        description:
          'Owner of the token, whose role is below the caller’s; read from role 10 on. 0 = the caller',
        minimum: 0,
      }),
    }),
    answer: { data: z.strictObject({ id: z.int() }) },
    example: {
      body: {
        name: 'notebook',
        expired_time: -1,
        remain_quota: 500_000,
        unlimited_quota: false,
        model_limits_enabled: true,
        model_limits: 'gpt-4o-mini',
        allow_ips: '10.0.0.0/8',
        group: '',
      },
      data: { id: 12 },
    },
    handle: async (request) => {
      const caller = callerOf(request)
      const { user_id: wanted } = request.body
      const owner = caller.role < ADMINISTRATOR || wanted === 0 ? caller.userId : wanted
      const notOurs = await ownerProblem(deps, caller, owner)
      if (notOurs !== null) return failure(notOurs)
      const fields = readTokenFields(request.body)
      if (fields.status === 'unfit') return failure(fields.message)
      const wrongGroup = groupProblem(deps.options.current(), '', fields.terms.group)
      if (wrongGroup !== null) return failure(wrongGroup)
      const terms = await boundTerms(deps, owner, fields)
      const issued = await issueToken(deps, {
        user: userId(owner),
        name: fields.name,
        remain: fields.remain,
        modelList: fields.modelList,
        terms,
        cause: causeOf(request),
        reserve: request.command.reserve,
      })
      if (issued.status === 'done') return { data: { id: issued.token }, wrote: issued.position }
      await deps.addresses.remove(terms.allowedIps)
      return failure(accountRejectionMessage(issued.rejection))
    },
  })

const updateRoute = (deps: TokenRouteDeps): ApiRoute =>
  route({
    method: 'PUT',
    path: '/api/token',
    access: 'user',
    summary: 'Change a token, or with ?status_only=true only switch it on (1) or off (2)',
    query: z.object({
      status_only: queryText().describe(
        'Any text, such as true: only status is changed, and the rest of the body is not read. Empty = the rest is changed',
      ),
    }),
    body: lenientBody({
      ...TOKEN_FIELDS,
      id: int().meta({ description: 'Id of the caller’s token', minimum: 1 }),
      status: int().meta({
        description:
          'With status_only 1 = on, 2 = off. Without, 1 refuses a form that leaves an expired or exhausted token so; 3 = expired and 4 = exhausted are as lists show them',
        enum: [0, 1, 2, 3, 4],
      }),
      // Charges in between are kept (decision 8).
      remain_quota_before: optional(int()).meta({
        description:
          'The remain_quota that the form had loaded: the change is by difference to it. Absent = the remain_quota is set as it stands',
        minimum: -QUOTA_MAX,
        maximum: QUOTA_MAX,
      }),
    }),
    answer: { data: z.fromJSONSchema(TOKEN_SCHEMA).nullable() },
    example: { query: { status_only: 'true' }, body: { id: 12, status: 1 }, data: EXAMPLE_TOKEN },
    handle: async (request) => {
      const { body, query } = request
      const account = userId(callerOf(request).userId)
      if (body.id <= 0) return failure(NOT_FOUND)
      const id = tokenId(body.id)
      const present = await deps.ledger.inspect(account, (state) => state.tokens.get(id))
      const secret = (await deps.secrets.describe([id])).get(id)
      if (present === undefined || secret === undefined) return failure(NOT_FOUND)

      if (query.status_only !== '') {
        if (body.status !== 1 && body.status !== 2) return failure('无效的参数')
        const outcome = await deps.ledger.execute(
          account,
          { type: body.status === 1 ? 'EnableToken' : 'DisableToken', token: id },
          causeOf(request),
        )
        if (outcome.status === 'rejected') {
          return failure(accountRejectionMessage(outcome.rejection))
        }
        const switched = await deps.ledger.inspect(account, (state) => state.tokens.get(id))
        return {
          data: switched === undefined ? null : await entityOf(deps, id, secret, switched),
          wrote: outcome.position,
        }
      }

      const fields = readTokenFields(body)
      if (fields.status === 'unfit') return failure(fields.message)
      const { name, remain, modelList } = fields
      const { group } = fields.terms
      const wrongGroup = groupProblem(deps.options.current(), present.terms.group, group)
      if (wrongGroup !== null) return failure(wrongGroup)
      const before = body.remain_quota_before
      const invalidBefore = loadedQuotaProblem('令牌额度', before ?? 0)
      if (invalidBefore !== null) return failure(invalidBefore)
      const remainChange = before === undefined ? { to: remain } : minus(remain, quota(before))
      const refusal =
        body.status === 1 ? enablingProblem(present, fields.terms, remain, deps.clock) : null
      if (refusal !== null) return failure(refusal)
      const terms = await boundTerms(deps, account, fields)
      const outcome = await deps.ledger.execute(
        account,
        { type: 'ReviseToken', token: id, remainChange, ...terms },
        causeOf(request),
        await onceAs(request.command),
      )
      if (outcome.status === 'rejected') {
        await deps.addresses.remove(terms.allowedIps)
        return failure(accountRejectionMessage(outcome.rejection))
      }
      await deps.secrets.redescribe(id, { name, modelList })
      const revised = await deps.ledger.inspect(account, (state) => state.tokens.get(id))
      return {
        data:
          revised === undefined
            ? null
            : await entityOf(deps, id, { ...secret, name, modelList }, revised),
        wrote: outcome.position,
      }
    },
  })

const deleteRoute = (deps: TokenRouteDeps): ApiRoute =>
  route({
    method: 'DELETE',
    path: '/api/token/:id',
    access: 'user',
    summary: 'Delete a token; it stops working at once',
    params: idInPath('Id of the caller’s token'),
    answer: {},
    example: { params: { id: '12' } },
    handle: async (request) => {
      const { id } = request.params
      if (id === 0) return failure('id 或 userId 为空！')
      if (id < 0) return failure(NOT_FOUND)
      const token = tokenId(id)
      const account = userId(callerOf(request).userId)
      const isOwn = await deps.ledger.inspect(account, (state) => state.tokens.has(token))
      // The same request may have deleted it before: then it is answered as at first.
      if (!isOwn && request.command.id === null) return failure(NOT_FOUND)
      const outcome = await deps.ledger.execute(
        account,
        { type: 'DeleteToken', token },
        causeOf(request),
        await onceAs(request.command),
      )
      if (outcome.status === 'rejected' && !isOwn) return failure(NOT_FOUND)
      // Rejected only when another request has deleted it meanwhile.
      await deps.secrets.erase(token)
      return outcome.status === 'rejected'
        ? failure(accountRejectionMessage(outcome.rejection))
        : { wrote: outcome.position }
    },
  })

/** The form's terms as an event may have them: with the addresses stored, and called by their id. */
const boundTerms = async (
  { addresses }: Pick<TokenRouteDeps, 'addresses'>,
  owner: number,
  { terms, allowedAddresses }: TokenForm,
): Promise<TokenTerms> => ({
  ...terms,
  allowedIps: await addresses.keep(owner, allowedAddresses),
})

/** Why the caller may not make a token for this user; null when they may. */
async function ownerProblem(
  { users }: Pick<TokenRouteDeps, 'users'>,
  caller: Caller,
  owner: number,
): Promise<string | null> {
  if (owner === caller.userId) return null
  const user = owner > 0 ? await users.byId(owner) : null
  if (user === null) return NO_USER
  return isAbove(caller.role, user) ? null : MAY_NOT_UPDATE
}

/** A form that says "enabled" about a token whose time or quota has run out must change that too. */
function enablingProblem(
  present: TokenState,
  terms: { readonly expiresAt: number | null; readonly unlimited: boolean },
  remain: number,
  clock: Pick<Clock, 'now'>,
): string | null {
  const isPast = terms.expiresAt !== null && terms.expiresAt <= clock.now()
  if (present.status === 'expired' && isPast) {
    return accountRejectionMessage({ reason: 'token-expired' })
  }
  if (present.status === 'exhausted' && remain <= 0 && !terms.unlimited) {
    return accountRejectionMessage({ reason: 'token-exhausted' })
  }
  return null
}

const STATUS_NUMBER = {
  enabled: 1,
  disabled: 2,
  expired: 3,
  exhausted: 4,
} as const satisfies Record<TokenStatus, number>

async function entityOf(
  { addresses }: Pick<TokenRouteDeps, 'addresses'>,
  id: number,
  secret: TokenSecret,
  { status, remain, used, terms }: TokenState,
) {
  const [allowedIps = []] = await addresses.read([terms.allowedIps])
  return tokenEntity({
    id,
    userId: secret.userId,
    name: secret.name,
    key: secret.key,
    status: STATUS_NUMBER[status],
    createdAtMs: secret.createdAt.getTime(),
    // The write side does not follow use; the lists of the read side do.
    accessedAtMs: secret.createdAt.getTime(),
    expiresAtMs: terms.expiresAt,
    remain,
    used,
    unlimited: terms.unlimited,
    models: terms.models,
    modelList: secret.modelList,
    allowedIps,
    group: terms.group,
  })
}
