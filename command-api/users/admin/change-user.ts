import { type ApiReply, type ApiRequest, callerOf, failure } from '../../http-contract/api-route.ts'
import type { Authority } from '@tollgate/domain/user/decider.ts'
import { causeOf } from '../../http/cause.ts'
import type { User } from '../../identity/users.ts'
import type { UserRouteDeps } from '../self-routes.ts'
import { changeUserStatus, type UserStatusChange } from '../user-status.ts'
import { EMPTY_USER, userStatusEntity } from '../user-entity.ts'
import { userAnswer } from '../user-answer.ts'

/**
 * Changes role, group or status of a user, once a request, and answers with the new values or with the reason why they
 * stay. To be the request's only change of the user.
 */
export async function changeUser(
  deps: UserRouteDeps,
  user: User,
  wanted: UserStatusChange,
  request: ApiRequest,
): Promise<ApiReply> {
  const by = authorityOf(request)
  const once = { isOnce: true }
  const changed = await changeUserStatus(deps, { user, change: wanted, by }, causeOf(request), once)
  return changed.status === 'rejected'
    ? failure(changed.message)
    : { data: userStatusEntity(changed.user), wrote: changed.position }
}

/** Only leaving by oneself (DELETE /api/user/self) counts as acting on one's own account. */
export const authorityOf = (request: ApiRequest): Authority => ({
  role: callerOf(request).role,
  isSelf: false,
})

/** The answer of such a change: only role and status are filled; the other fields are at zero. */
export const USER_STATUS = { data: userAnswer } as const
/** For the reference of the routes. */
export const EXAMPLE_USER_STATUS = { ...EMPTY_USER, role: 1, status: 2 } as const
