import { hiddenNameProblem } from '@tollgate/domain/text.ts'

/** The fields of a user object that are checked wherever one is "validated" (console-api 1.2). */
export interface CheckedUserFields {
  readonly username?: string
  readonly password?: string
  readonly display_name?: string
  readonly email?: string
}

export const PASSWORD_CHARACTERS_MIN = 8
/** Most characters of each field. */
export const USER_TEXT_MAX = { username: 12, password: 20, display_name: 20, email: 50 } as const
const RULES = [
  ['Username', 'username', 'max', USER_TEXT_MAX.username],
  ['Password', 'password', 'max', USER_TEXT_MAX.password],
  ['DisplayName', 'display_name', 'max', USER_TEXT_MAX.display_name],
  ['Email', 'email', 'max', USER_TEXT_MAX.email],
] as const

/**
 * The refusal in the text form that scripts grep for, several failures joined by line feeds; null when all is well.
 * Lengths count characters, not bytes. A field that is not given is not checked. A short password is told first and
 * alone, in the seeds' words.
 */
export function invalidUserMessage(fields: CheckedUserFields): string | null {
  if (fields.password !== undefined && lengthOf(fields.password) < PASSWORD_CHARACTERS_MIN) {
    return `密码长度不得小于 ${PASSWORD_CHARACTERS_MIN} 位！`
  }
  const failures = RULES.flatMap(([label, field, tag, bound]) => {
    const value = fields[field]
    if (value === undefined) return []
    if (lengthOf(value) <= bound) return []
    return `Key: 'User.${label}' Error:Field validation for '${label}' failed on the '${tag}' tag`
  })
  if (failures.length > 0) return `输入不合法 ${failures.join('\n')}`
  return (
    hiddenNameProblem('用户名', fields.username ?? '') ??
    hiddenNameProblem('显示名称', fields.display_name ?? '')
  )
}

const lengthOf = (value: string): number => Array.from(value).length
