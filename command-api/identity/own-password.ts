import { type ApiReply, failure } from '../http-contract/api-route.ts'
import { tooManyRequests } from '../http/too-many.ts'
import type { Passwords } from './passwords.ts'
import type { FailureLimiter } from './rate-limiter.ts'
import type { User } from './users.ts'

export interface OwnPasswordDeps {
  readonly passwords: Pick<Passwords, 'verify'>
  /** Wrong passwords by account. */
  readonly ownPasswordFailures: FailureLimiter
}

/**
 * Checks the password of a signed-in user again, since a session may be stolen: null when it is right, else the answer.
 * Wrong passwords count, so that a session is no place to guess at.
 */
export async function refuseWrongPassword(
  deps: OwnPasswordDeps,
  user: User,
  password: string,
): Promise<ApiReply | null> {
  const attempt = `own-password:${user.id}`
  const verdict = await deps.ownPasswordFailures.take(attempt)
  if (!verdict.isAllowed) return tooManyRequests(verdict.retryAfterSeconds)
  if (!(await deps.passwords.verify(password, user.passwordHash))) return failure('原密码错误')
  await deps.ownPasswordFailures.forget(attempt)
  return null
}
