import { redemptionStream } from '@tollgate/domain/event.ts'
import { type RedemptionId, redemptionId, userId } from '@tollgate/domain/ids.ts'
import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '../http-contract/api-route.ts'
import {
  EXAMPLE_REDEMPTION,
  REDEMPTION_SCHEMA,
  redemptionEntity,
} from '../http-contract/redemption-entity.ts'
import { quota } from '@tollgate/domain/quota.ts'
import {
  type ChangeOfCode,
  decideRedemption,
  redemptionDecider,
} from '@tollgate/domain/redemption/decider.ts'
import { QUOTA_MAX } from '@tollgate/domain/account/limits.ts'
import type { CodeIssued } from '@tollgate/domain/redemption/events.ts'
import { isLiveCode, NO_CODE } from '@tollgate/domain/redemption/state.ts'
import { z } from 'zod'
import { hiddenNameProblem } from '@tollgate/domain/text.ts'
import { int, lenientBody, optional, text } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import { idInPath, queryText } from '../http/query.ts'
import { codeRejectionMessage } from '../http/rejection-messages.ts'
import { type AggregateWriter, executeOn, loadAggregate } from '../aggregates/aggregate.ts'
import type { Entropy } from '../secrets/entropy.ts'
import type { RedemptionSecrets } from '../secrets/redemption-secrets.ts'
import { issueCodes } from './issue-codes.ts'

export interface RedemptionRouteDeps extends AggregateWriter {
  readonly secrets: RedemptionSecrets
  readonly entropy: Entropy
  readonly log: { warn(facts: object, message: string): void }
}

/** Seeds, validation: 1-20 characters, at most 100 at once. */
const NAME_CHARACTERS_MAX = 20
const COUNT_MAX = 100
/** Quota of a code when the form gives none (console-api 4). */
const QUOTA_DEFAULT = 100
const NOT_FOUND = 'record not found'

/** Making, changing and deleting redemption codes (console-api 2.9); the read side lists them. */
export const redemptionRoutes = (deps: RedemptionRouteDeps): readonly ApiRoute[] => [
  createRoute(deps),
  updateRoute(deps),
  deleteRoute(deps),
]

const createRoute = (deps: RedemptionRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/redemption',
    access: 'admin',
    summary: 'Make up to 100 redemption codes of one name and quota; answers the codes',
    body: lenientBody({
      name: text().meta({
        description: 'Name that administrators know the codes by',
        minLength: 1,
        maxLength: NAME_CHARACTERS_MAX,
      }),
      quota: int().meta({
        description: `Worth of each code, in quota; 0 = ${QUOTA_DEFAULT}`,
        minimum: 0,
        maximum: QUOTA_MAX,
      }),
      count: int().meta({
        description: 'How many codes are made',
        minimum: 1,
        maximum: COUNT_MAX,
      }),
    }),
    answer: { data: z.array(z.string()) },
    example: { body: { name: 'spring', quota: 100_000, count: 1 }, data: [EXAMPLE_REDEMPTION.key] },
    handle: async (request) => {
      const { name, count } = request.body
      const invalid = nameProblem(name) ?? countProblem(count)
      if (invalid !== null) return failure(invalid)
      const worth = quota(request.body.quota === 0 ? QUOTA_DEFAULT : request.body.quota)
      const creator = userId(callerOf(request).userId)
      const refusal = issueProblem(deps, { quota: worth, creator })
      if (refusal !== null) return failure(refusal)
      const issued = await issueCodes(deps, {
        name,
        count,
        quota: worth,
        creator,
        cause: causeOf(request),
        reserve: request.command.reserve,
      })
      const { codes, position, failure: cause } = issued
      if (cause === null) return { data: codes, wrote: position }
      if (codes.length === 0) throw cause
      deps.log.warn({ err: cause, issued: codes.length }, 'some redemption codes were not issued')
      const message = `只生成了 ${codes.length} 个兑换码，请检查后补充生成`
      return { ...failure(message), data: codes, wrote: position }
    },
  })

const updateRoute = (deps: RedemptionRouteDeps): ApiRoute =>
  route({
    method: 'PUT',
    path: '/api/redemption',
    access: 'admin',
    summary: 'Change an unused code, or with ?status_only=true only switch it on (1) or off (2)',
    query: z.object({
      status_only: queryText().describe(
        'Any text, such as true: only status is changed, and the rest of the body is not read. Empty = the rest is changed',
      ),
    }),
    body: lenientBody({
      id: int().meta({ description: 'Id of the redemption code', minimum: 1 }),
      name: text().meta({
        description: 'Name that administrators know the code by; not read with status_only',
        minLength: 1,
        maxLength: NAME_CHARACTERS_MAX,
      }),
      quota: optional(int()).meta({
        description: 'Worth of the code, in quota; absent = unchanged',
        minimum: 1,
        maximum: QUOTA_MAX,
      }),
      status: int().meta({
        description:
          'Read with status_only: 1 = can be redeemed, 2 = switched off; 3 = used, as lists show it',
        enum: [0, 1, 2, 3],
      }),
    }),
    answer: { data: z.fromJSONSchema(REDEMPTION_SCHEMA) },
    example: { body: { id: 5, name: 'spring', quota: 100_000 }, data: EXAMPLE_REDEMPTION },
    handle: async (request) => {
      const { body, query } = request
      if (body.id <= 0) return failure(NOT_FOUND)
      const id = redemptionId(body.id)
      if (query.status_only !== '') {
        if (body.status !== 1 && body.status !== 2) return failure('无效的参数')
        const type = body.status === 1 ? 'EnableCode' : 'DisableCode'
        return changeCode(deps, id, { command: { type }, newName: null }, request)
      }
      const invalid = nameProblem(body.name)
      if (invalid !== null) return failure(invalid)
      const worth = body.quota === undefined ? {} : { quota: quota(body.quota) }
      return changeCode(
        deps,
        id,
        { command: { type: 'ReviseCode', ...worth }, newName: body.name },
        request,
      )
    },
  })

const deleteRoute = (deps: RedemptionRouteDeps): ApiRoute =>
  route({
    method: 'DELETE',
    path: '/api/redemption/:id',
    access: 'admin',
    summary: 'Delete a code; it can be redeemed no more from that moment on',
    params: idInPath('Id of the redemption code'),
    answer: {},
    example: { params: { id: '5' } },
    handle: async (request) => {
      const { id } = request.params
      if (id === 0) return failure('id 为空！')
      if (id < 0) return failure(NOT_FOUND)
      const code = redemptionId(id)
      const outcome = await executeOn(
        deps,
        {
          stream: redemptionStream(code),
          decider: redemptionDecider,
          command: { type: 'DeleteCode' },
        },
        causeOf(request),
        { isOnce: true },
      )
      // The row of a code that is not issued stays: a request may be about to issue it.
      if (outcome.status === 'rejected') return failure(codeRejectionMessage(outcome.rejection))
      await deps.secrets.erase(code)
      return { wrote: outcome.position }
    },
  })

async function changeCode(
  deps: RedemptionRouteDeps,
  id: RedemptionId,
  { command, newName }: { readonly command: ChangeOfCode; readonly newName: string | null },
  request: Parameters<typeof causeOf>[0],
): Promise<ApiReply> {
  const stream = redemptionStream(id)
  const { state: present } = await loadAggregate(deps.store, stream, redemptionDecider)
  const secret = (await deps.secrets.describe([id])).get(id)
  if (!isLiveCode(present) || secret === undefined) return failure(NOT_FOUND)
  const outcome = await executeOn(
    deps,
    { stream, decider: redemptionDecider, command },
    causeOf(request),
  )
  if (outcome.status === 'rejected') return failure(codeRejectionMessage(outcome.rejection))
  const { state, position } = outcome
  if (!isLiveCode(state)) return failure(NOT_FOUND)
  const name = newName ?? secret.name
  if (name !== secret.name) await deps.secrets.rename(id, name)
  const { status, quota: worth, creator, issuedAt, use } = state
  return {
    data: redemptionEntity({
      id,
      creator,
      name,
      code: secret.code,
      status,
      quota: worth,
      issuedAtMs: issuedAt,
      use: use === null ? null : { user: use.user, atMs: use.at },
    }),
    wrote: position,
  }
}

function nameProblem(name: string): string | null {
  const isFit = name.trim() !== '' && Array.from(name).length <= NAME_CHARACTERS_MAX
  return isFit ? hiddenNameProblem('兑换码名称', name) : '兑换码名称长度必须在1-20之间'
}

function countProblem(count: number): string | null {
  if (count <= 0) return '兑换码个数必须大于0'
  return count > COUNT_MAX ? `一次兑换码批量生成的个数不能大于 ${COUNT_MAX}` : null
}

/** Asked before any row is written. */
function issueProblem(
  { clock }: Pick<RedemptionRouteDeps, 'clock'>,
  wanted: Pick<CodeIssued['data'], 'quota' | 'creator'>,
): string | null {
  const command = { type: 'IssueCode', ...wanted } as const
  const decision = decideRedemption(NO_CODE, command, { at: clock.now(), nextRevision: 0 })
  return decision.status === 'rejected' ? codeRejectionMessage(decision.rejection) : null
}
