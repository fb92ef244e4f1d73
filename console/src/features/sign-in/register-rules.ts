/** The fields of the form of a sign-up. */
export interface RegisterForm {
  readonly username: string
  readonly password: string
  readonly password2: string
  readonly email: string
  readonly code: string
}

/** The fields that can be wrong, each with the name of its message. */
export interface RegisterErrors {
  readonly username?: 'missing' | 'long'
  readonly password?: 'missing' | 'short' | 'long'
  readonly password2?: 'mismatch'
  readonly email?: 'missing'
  readonly code?: 'missing'
}

/** Lengths in characters (seeds, section 5; console-api 1.2). */
const USERNAME_MAX = 12
const PASSWORD_MIN = 8
const PASSWORD_MAX = 20

/** Checks the form by the rules of the seeds; e-mail and code only where the operator asks for them. */
export function registerErrors(form: RegisterForm, isEmailAsked: boolean): RegisterErrors {
  const username = usernameError(form.username)
  const password = passwordError(form.password)
  return {
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(form.password2 === form.password ? {} : { password2: 'mismatch' as const }),
    ...(isEmailAsked && form.email.trim() === '' ? { email: 'missing' as const } : {}),
    ...(isEmailAsked && form.code.trim() === '' ? { code: 'missing' as const } : {}),
  }
}

/** The body of POST /api/user/register. */
export function registerPayload(form: RegisterForm, isEmailAsked: boolean, affCode: string) {
  return {
    username: form.username.trim(),
    password: form.password,
    password2: form.password2,
    ...(isEmailAsked ? { email: form.email.trim(), verification_code: form.code.trim() } : {}),
    ...(affCode ? { aff_code: affCode } : {}),
  }
}

function usernameError(username: string): RegisterErrors['username'] {
  if (username.trim() === '') return 'missing'
  return lengthOf(username.trim()) > USERNAME_MAX ? 'long' : undefined
}

function passwordError(password: string): RegisterErrors['password'] {
  if (password === '') return 'missing'
  if (lengthOf(password) < PASSWORD_MIN) return 'short'
  return lengthOf(password) > PASSWORD_MAX ? 'long' : undefined
}

/** As the server counts. */
const lengthOf = (value: string): number => Array.from(value).length
