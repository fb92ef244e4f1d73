import type { TokenState, TokenStatus } from '@tollgate/domain/account/state.ts'
import type { TokenSecret } from '../secrets/token-secrets.ts'

const STATUS_NUMBER = {
  enabled: 1,
  disabled: 2,
  expired: 3,
  exhausted: 4,
} as const satisfies Record<TokenStatus, number>

/** The token object of console-api 4, with all its fields; `key` without `sk-`, times in unix seconds. */
export function tokenEntity(id: number, secret: TokenSecret, token: TokenState) {
  const createdTime = Math.floor(secret.createdAt.getTime() / 1000)
  const { terms } = token
  return {
    id,
    user_id: secret.userId,
    key: secret.key,
    status: STATUS_NUMBER[token.status],
    name: secret.name,
    created_time: createdTime,
    // The write side does not follow use; the lists of the read side do.
    accessed_time: createdTime,
    expired_time: terms.expiresAt === null ? -1 : Math.floor(terms.expiresAt / 1000),
    remain_quota: token.remain,
    unlimited_quota: terms.unlimited,
    model_limits_enabled: terms.models !== null,
    model_limits: (terms.models ?? []).join(','),
    allow_ips: terms.allowedIps.join('\n'),
    used_quota: token.used,
    group: terms.group,
    DeletedAt: null,
  }
}
