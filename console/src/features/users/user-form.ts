import type { ListedUser } from '../../core/contract.ts'
import { amountText } from '../../parts/amount.ts'
import type { Problems, Refusals } from '../../parts/form/form-values.ts'
import type { QuotaUnit } from '../../parts/quota-format.ts'
import { parseQuota } from '../../parts/quota-format.ts'

/** The fields of the form of a user, as typed. */
export interface UserForm {
  readonly username: string
  readonly displayName: string
  readonly password: string
  readonly group: string
  readonly quota: string
  readonly reason: string
}

/** A problem of a field. */
export type UserProblem =
  | 'usernameLong'
  | 'displayNameLong'
  | 'required'
  | 'passwordShort'
  | 'passwordLong'
  | 'amount'
  | 'reason'

/** Refusals of the server that are about one field. */
export const USER_REFUSALS: Refusals<UserForm> = {
  username_taken: 'username',
  username_is_email: 'username',
  username_hidden_characters: 'username',
  display_name_hidden_characters: 'displayName',
  password_too_short: 'password',
}

/** The server's own bounds, in characters. */
const USERNAME_MAX = 12
const DISPLAY_NAME_MAX = 20
const PASSWORD_MIN = 8
const PASSWORD_MAX = 20

/** The form of a new user. */
export const NEW_USER: UserForm = {
  username: '',
  displayName: '',
  password: '',
  group: '',
  quota: '',
  reason: '',
}

/** The form of a user who is there. */
export const formOf = (user: ListedUser, unit: QuotaUnit, quotaPerUnit: number): UserForm => ({
  username: user.username,
  displayName: user.display_name,
  password: '',
  group: user.group,
  quota: amountText(user.quota, unit, quotaPerUnit),
  reason: '',
})

/**
 * The problems of a new user: both name and password are needed (seeds, section 5). The message names both, so it stands
 * at the first that is missing.
 */
export const newUserProblems = (form: UserForm): Problems<UserForm, UserProblem> => ({
  ...lengthProblems(form, NEW_USER),
  ...(form.username.trim() === ''
    ? { username: 'required' }
    : form.password === ''
      ? { password: 'required' }
      : {}),
})

/** The problems of a changed user: an empty password stays, a changed balance needs a reason. */
export function userProblems(
  form: UserForm,
  opened: UserForm,
  { unit, quotaPerUnit }: { readonly unit: QuotaUnit; readonly quotaPerUnit: number },
): Problems<UserForm, UserProblem> {
  const isAdjusted = form.quota !== opened.quota
  const quota = isAdjusted ? parseQuota(form.quota, unit, quotaPerUnit) : 0
  return {
    ...lengthProblems(form, opened),
    ...(form.username.trim() === '' ? { username: 'required' } : {}),
    ...(quota === null || quota < 0 ? { quota: 'amount' } : {}),
    ...(isAdjusted && form.reason.trim() === '' ? { reason: 'reason' } : {}),
  }
}

function lengthProblems(form: UserForm, opened: UserForm): Problems<UserForm, UserProblem> {
  const length = (text: string) => Array.from(text).length
  const password = length(form.password)
  return {
    // A name given by a sign-in service may be longer; it is only checked once it is changed.
    ...(form.username !== opened.username && length(form.username.trim()) > USERNAME_MAX
      ? { username: 'usernameLong' }
      : {}),
    ...(form.displayName !== opened.displayName && length(form.displayName) > DISPLAY_NAME_MAX
      ? { displayName: 'displayNameLong' }
      : {}),
    ...(password > 0 && password < PASSWORD_MIN ? { password: 'passwordShort' } : {}),
    ...(password > PASSWORD_MAX ? { password: 'passwordLong' } : {}),
  }
}
