import type { FastifyRequest } from 'fastify'
import type { ModelRequest } from '../protocols/model-request.ts'
import type { UserFacts } from '../directory/facts.ts'
import type { Caller } from './authenticate.ts'
import type { RelayDeps } from './deps.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'

/** The signed-in user of the playground. */
export interface SessionUser {
  readonly session: UserFacts
}

/** The console's playground: a session speaks, not a token (relay-and-billing.md 4.10). */
export async function authenticateSession(
  request: FastifyRequest,
  deps: RelayDeps,
): Promise<SessionUser | Refusal> {
  const session = await deps.authenticateSession(request)
  if (session.status === 'access-token') {
    return refusal(400, 'access_token_not_supported', '暂不支持使用 access token')
  }
  if (session.status === 'anonymous') return refusal(401, 'not_signed_in', '未登录或登录已过期')
  if (!session.user.isActive) return refusal(403, 'user_banned', '用户已被封禁')
  return { session: session.user }
}

/** The body may name the group in which the user plays. */
export function playgroundCaller(
  { session: user }: SessionUser,
  request: ModelRequest | Refusal,
  deps: RelayDeps,
): Caller | Refusal {
  if (isRefusal(request)) return request.param === 'model' ? NO_MODEL : request
  const group = request.group ?? user.group
  if (group !== user.group && !deps.directory.settings.usableGroups.has(group)) {
    return refusal(403, 'group_not_allowed', '无权访问该分组')
  }
  return { user, token: null, group, pinnedChannel: null }
}

const NO_MODEL = refusal(400, 'model_required', '请选择模型', { param: 'model' })

/** No channel serves the model in the group that the user plays in. */
export const nothingToPlayWith = (group: string, model: string): Refusal =>
  refusal(500, 'get_playground_channel_failed', `当前分组 ${group} 下对于模型 ${model} 无可用渠道`)
