import { ApiError } from '../../core/api.ts'

/** The fields of the wizard's form. */
export interface SetupForm {
  readonly username: string
  readonly password: string
  readonly confirmPassword: string
  readonly mode: 'operation' | 'self-use' | 'demo'
}

/** The fields that can be wrong, each with the name of its message. */
export type SetupErrors = Partial<
  Record<'username' | 'password' | 'confirmPassword', 'username' | 'password' | 'mismatch'>
>

/** Least length of the first password, in characters (seeds, section 5). */
export const PASSWORD_LENGTH_MIN = 8

/** Checks the form by the rules of the seeds; an administrator who exists already needs none. */
export function setupErrors(form: SetupForm, hasRoot: boolean): SetupErrors {
  if (hasRoot) return {}
  return {
    ...(form.username.trim() === '' ? { username: 'username' as const } : {}),
    ...(form.password.length < PASSWORD_LENGTH_MIN ? { password: 'password' as const } : {}),
    ...(form.confirmPassword !== form.password ? { confirmPassword: 'mismatch' as const } : {}),
  }
}

/** The body of POST /api/setup. */
export function setupPayload(form: SetupForm) {
  return {
    username: form.username.trim(),
    password: form.password,
    confirmPassword: form.confirmPassword,
    SelfUseModeEnabled: form.mode === 'self-use',
    DemoSiteEnabled: form.mode === 'demo',
  }
}

/** The message of a setup that failed: the server's own, or the name of one of ours when it gave none. */
export interface SetupFailure {
  readonly message: string
  readonly name: 'failed' | 'systemFailed'
}

/** A refusal is said in the server's words (seeds, section 8); a server that failed or is not there, in ours. */
export function setupFailure(error: Error): SetupFailure {
  const isRefusal = error instanceof ApiError && error.status >= 200 && error.status < 500
  return isRefusal
    ? { message: error.code && error.message, name: 'failed' }
    : { message: '', name: 'systemFailed' }
}
