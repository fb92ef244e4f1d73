/** What is checked of a user object, wherever one is "validated" (console-api 1.2). */
export interface CheckedUserFields {
  readonly username?: string
  readonly password?: string
  readonly display_name?: string
  readonly email?: string
}

const RULES = [
  ['Username', 'username', 'max', 12],
  ['Password', 'password', 'min', 8],
  ['Password', 'password', 'max', 20],
  ['DisplayName', 'display_name', 'max', 20],
  ['Email', 'email', 'max', 50],
] as const

/**
 * The refusal in the text form that scripts grep for, several failures joined by line feeds; null when all is well.
 * Lengths count characters, not bytes. A field that is not given is not checked.
 */
export function invalidUserMessage(fields: CheckedUserFields): string | null {
  const failures = RULES.flatMap(([label, field, tag, bound]) => {
    const value = fields[field]
    if (value === undefined) return []
    const length = Array.from(value).length
    const isBroken = tag === 'max' ? length > bound : length < bound
    if (!isBroken) return []
    return `Key: 'User.${label}' Error:Field validation for '${label}' failed on the '${tag}' tag`
  })
  return failures.length === 0 ? null : `输入不合法 ${failures.join('\n')}`
}
