import type { FastifyRequest } from 'fastify'
import { isObject } from '../json.ts'
import { parseObject } from '../protocols/openai/request.ts'
import type { Caller } from './authenticate.ts'
import type { RelayDeps } from './deps.ts'
import { type Refusal, refusal } from '../refusal.ts'

/** The console's playground: a session speaks, not a token; the body may name the group (relay-and-billing.md 4.10). */
export async function authenticatePlayground(
  request: FastifyRequest,
  body: Buffer,
  deps: RelayDeps,
): Promise<Caller | Refusal> {
  const session = await deps.authenticateSession(request)
  if (session.status === 'access-token') {
    return refusal(400, 'access_token_not_supported', '暂不支持使用 access token')
  }
  if (session.status === 'anonymous') return refusal(401, 'not_signed_in', '未登录或登录已过期')
  const { user } = session
  if (!user.isActive) return refusal(403, 'user_banned', '用户已被封禁')
  const asked = parseObject(body)
  const model = isObject(asked) ? asked['model'] : null
  if (typeof model !== 'string' || model === '') {
    return refusal(400, 'model_required', '请选择模型', { param: 'model' })
  }
  const named = isObject(asked) ? asked['group'] : null
  const group = typeof named === 'string' && named !== '' ? named : user.group
  if (group !== user.group && !deps.directory.settings.usableGroups.has(group)) {
    return refusal(403, 'group_not_allowed', '无权访问该分组')
  }
  return { user, token: null, group, pinnedChannel: null }
}
