/**
 * The name is taken: by a living or a deleted user, as name or as e-mail (`taken`), or by the form of an e-mail that is
 * not the user's own (`an-email`).
 */
export class UsernameTaken extends Error {
  readonly code = 'USERNAME_TAKEN'
  readonly retryable = false
  readonly why: 'taken' | 'an-email'
  constructor(username: string, why: 'taken' | 'an-email') {
    super(`the user name ${username} is ${why === 'taken' ? 'taken' : 'not their own e-mail'}`)
    this.name = 'UsernameTaken'
    this.why = why
  }
}

/** The message for people whose name was refused. */
export const usernameTakenMessage = ({ why }: Pick<UsernameTaken, 'why'>): string =>
  why === 'taken' ? '用户名已存在，或已注销' : '用户名不能是邮箱地址，除非是您自己已绑定的邮箱'

/** The e-mail belongs to a living or a deleted user. */
export class EmailTaken extends Error {
  readonly code = 'EMAIL_TAKEN'
  readonly retryable = false
  constructor() {
    super('the e-mail is taken')
    this.name = 'EmailTaken'
  }
}

/** Another user has the same affiliate code: draw another. */
export class AffCodeTaken extends Error {
  readonly code = 'AFF_CODE_TAKEN'
  readonly retryable = true
  constructor() {
    super('the affiliate code is taken')
    this.name = 'AffCodeTaken'
  }
}

/** PostgreSQL's code for a value that a unique index has already. */
export const UNIQUE_VIOLATION = '23505'

/** Turns the refusal of a unique index of `identity.users` into its own error; other errors go on as they are. */
export function refuseTaken(error: unknown, username: string): never {
  const { code, constraint } = error as { readonly code?: string; readonly constraint?: string }
  if (code !== UNIQUE_VIOLATION) throw error
  if (constraint === 'users_username_key') throw new UsernameTaken(username, 'taken')
  if (constraint === 'users_own_email_key') throw new EmailTaken()
  if (constraint === 'users_aff_code_key') throw new AffCodeTaken()
  throw error
}
