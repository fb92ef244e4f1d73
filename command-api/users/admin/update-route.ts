import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '../../http-contract/api-route.ts'
import { QUOTA_MAX } from '@tollgate/domain/account/limits.ts'
import { int, lenientBody, optional, text } from '../../http/body.ts'
import { loadedQuotaProblem, quotaProblem } from '../../http/quota-bounds.ts'
import { usernameTakenMessage } from '../../identity/name-conflicts.ts'
import type { User, UserChange } from '../../identity/users.ts'
import { type UserRouteDeps, updateRow } from '../self-routes.ts'
import { groupProblem } from '../../options/known-group.ts'
import { userStatusProblem } from '../user-status.ts'
import { invalidUserMessage, PASSWORD_CHARACTERS_MIN, USER_TEXT_MAX } from '../validate.ts'
import { adjustQuota } from './adjust-quota.ts'
import { authorityOf, changeUser } from './change-user.ts'
import { isAbove, MAY_NOT_UPDATE } from './is-above.ts'

/** There is no such user, or no longer. */
export const NOT_FOUND = 'record not found'
const TEXTS = {
  invalid: '无效的参数',
  mayNotRaise: '无权将其他用户权限等级提升到大于等于自己的权限等级',
} as const

/** Name, group, password and balance of a user (console-api 2.5, decision 9). */
export const updateRoute = (deps: UserRouteDeps): ApiRoute =>
  route({
    method: 'PUT',
    path: '/api/user',
    access: 'admin',
    summary: 'Change name, group, password or balance of a user; the balance by difference',
    body: lenientBody({
      id: int().meta({ description: 'Id of the user', minimum: 1 }),
      username: optional(text()).describe(
        `User name; a new one has at most ${USER_TEXT_MAX.username} characters. Absent = unchanged`,
      ),
      display_name: optional(text()).describe(
        `Name that the user is shown by; a new one has at most ${USER_TEXT_MAX.display_name} characters. Absent = unchanged`,
      ),
      password: text().meta({
        description: `New password, of at least ${PASSWORD_CHARACTERS_MIN} characters; empty = unchanged`,
        maxLength: USER_TEXT_MAX.password,
      }),
      group: optional(text()).describe('Group with a ratio in GroupRatio; absent = unchanged'),
      role: int().meta({
        description:
          'Role as the form shows it, below the caller’s; never written: POST /api/user/manage changes roles',
        enum: [0, 1, 10, 100],
      }),
      quota: optional(int()).meta({
        description: 'Balance to be, in quota; absent = unchanged',
        minimum: 0,
        maximum: QUOTA_MAX,
      }),
      // Charges in between are kept (decision 9).
      quota_before: optional(int()).meta({
        description:
          'Balance that the form had loaded: the change is by difference to it. Absent = the present balance',
        minimum: -QUOTA_MAX,
        maximum: QUOTA_MAX,
      }),
      reason: text().describe(
        'Why the balance is changed: it ends the sentence that the log shows; default empty',
      ),
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
        reason: 'refund of an outage',
      },
    },
    handle: async (request) => {
      const { body } = request
      if (body.id <= 0) return failure(TEXTS.invalid)
      const user = await deps.users.byId(body.id)
      if (user === null) return failure(NOT_FOUND)
      const refusal = updateProblem(user, body, callerOf(request).role)
      if (refusal !== null) return failure(refusal)
      return updateUser(deps, user, body, request)
    },
  })

/** The fields of the form; a missing one stays. */
interface UserForm {
  readonly username?: string | undefined
  readonly display_name?: string | undefined
  readonly password: string
  readonly group?: string | undefined
  readonly role: number
  readonly quota?: number | undefined
  readonly quota_before?: number | undefined
  readonly reason?: string
}

function updateProblem(user: User, form: UserForm, callerRole: number): string | null {
  if (form.username?.trim() === '') return TEXTS.invalid
  const invalid = invalidUserMessage({
    ...(form.username !== undefined &&
      form.username.trim() !== user.username && { username: form.username.trim() }),
    ...(form.display_name !== undefined &&
      form.display_name !== user.displayName && { display_name: form.display_name }),
    ...(form.password !== '' && { password: form.password }),
  })
  if (invalid !== null) return invalid
  if (!isAbove(callerRole, user)) return MAY_NOT_UPDATE
  if (form.role >= callerRole && callerRole !== 100) return TEXTS.mayNotRaise
  return (
    quotaProblem('用户额度', form.quota ?? 0) ??
    loadedQuotaProblem('用户额度', form.quota_before ?? 0)
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
  const regroup =
    form.group === undefined || form.group === user.group
      ? null
      : ({ type: 'ChangeUserGroup', group: form.group } as const)
  const refusal =
    regroup === null
      ? null
      : (groupProblem(deps.options.current(), user.group, regroup.group) ??
        (await userStatusProblem(deps, user, regroup, authorityOf(request))))
  if (refusal !== null) return failure(refusal)
  const username = form.username?.trim()
  const isRenamed = username !== undefined && username !== user.username
  if (isRenamed && (await deps.users.isNameTaken(username, user.id))) {
    return failure(usernameTakenMessage({ why: 'taken' }))
  }
  const row: UserChange = {
    ...(username !== undefined && { username }),
    ...(form.display_name !== undefined && { displayName: form.display_name }),
    ...(form.password !== '' && { passwordHash: await deps.passwords.hash(form.password) }),
  }
  const adjusted = await adjustQuota(deps, user, form, request)
  if (adjusted?.success === false) return adjusted
  const taken = await updateRow(deps, user, row)
  if (taken !== null) return taken
  const regrouped = regroup === null ? null : await changeUser(deps, user, regroup, request)
  if (regrouped?.success === false) return regrouped
  const wrote = Math.max(adjusted?.wrote ?? -1, regrouped?.wrote ?? -1)
  return wrote < 0 ? {} : { wrote }
}
