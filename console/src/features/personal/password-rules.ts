/** The fields of the password form. */
export interface PasswordForm {
  readonly original: string
  readonly password: string
  readonly confirmation: string
}

/** The first rule that each field breaks, by the name of its message (seeds, section 5). */
export type PasswordErrors = Partial<Record<keyof PasswordForm, PasswordProblem>>
/** A problem of one of the fields. */
export type PasswordProblem = 'required' | 'short' | 'same' | 'mismatch'

/** Bounds of a password's length in characters (console API, section 1.2). */
export const PASSWORD_LENGTH = { min: 8, max: 20 } as const

/** Checks a change of password before it is sent. */
export function passwordErrors(form: PasswordForm): PasswordErrors {
  const password = newPasswordError(form)
  return {
    ...(form.original === '' ? { original: 'required' as const } : {}),
    ...(password ? { password } : {}),
    ...(form.confirmation !== form.password ? { confirmation: 'mismatch' as const } : {}),
  }
}

function newPasswordError(form: PasswordForm): 'required' | 'short' | 'same' | null {
  if (form.password === '') return 'required'
  if (form.password.length < PASSWORD_LENGTH.min || form.password.length > PASSWORD_LENGTH.max)
    return 'short'
  return form.password === form.original ? 'same' : null
}
