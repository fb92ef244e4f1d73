import { type ApiRoute, callerOf, failure, route } from '../../http-contract/api-route.ts'
import { int, lenientBody, text } from '../../http/body.ts'
import type { UserRouteDeps } from '../self-routes.ts'
import type { UserStatusChange } from '../user-status.ts'
import { userStatusEntity } from '../user-entity.ts'
import { changeUser, EXAMPLE_USER_STATUS, USER_STATUS } from './change-user.ts'
import { isAbove, MAY_NOT_UPDATE } from './is-above.ts'

const UNKNOWN = '用户不存在'

const ACTIONS: ReadonlyMap<string, UserStatusChange> = new Map<string, UserStatusChange>([
  ['disable', { type: 'BanUser' }],
  ['enable', { type: 'ReinstateUser' }],
  ['delete', { type: 'DeleteUser' }],
  ['promote', { type: 'ChangeUserRole', role: 10 }],
  ['demote', { type: 'ChangeUserRole', role: 1 }],
])

/** Role and status of a user, by the name of an action (console-api 2.5). */
export const manageRoute = (deps: UserRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/user/manage',
    access: 'admin',
    summary: 'disable, enable, delete, promote or demote a user',
    body: lenientBody({
      id: int().meta({ description: 'Id of the user, also of a deleted one', minimum: 1 }),
      action: text().meta({
        description:
          'Change to make; promote gives role 10, demote role 1. Another word changes nothing',
        enum: [...ACTIONS.keys()],
      }),
    }),
    answer: USER_STATUS,
    example: { body: { id: 7, action: 'disable' }, data: EXAMPLE_USER_STATUS },
    handle: async (request) => {
      const user = await deps.users.byId(request.body.id, { isDeletedWanted: true })
      if (user === null) return failure(UNKNOWN)
      // Before the action is looked at: a caller who may not act on a user learns nothing of them either.
      if (!isAbove(callerOf(request).role, user)) return failure(MAY_NOT_UPDATE)
      const action = ACTIONS.get(request.body.action)
      // An unknown action does nothing and succeeds (console-api 2.5).
      return action === undefined
        ? { data: userStatusEntity(user) }
        : changeUser(deps, user, action, request)
    },
  })
