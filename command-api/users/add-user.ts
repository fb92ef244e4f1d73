import type { Role } from '@tollgate/domain/user/events.ts'
import type { Passwords } from '../identity/passwords.ts'
import type { UserStore } from '../identity/users.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { type ProjectedUser, registerUser, type UserWriter } from './project-user.ts'

export interface AddUserDeps extends UserWriter {
  readonly users: UserStore
  readonly passwords: Passwords
}

export interface UserWanted {
  readonly username: string
  readonly password: string
  readonly displayName: string
  readonly role: Role
  readonly openingQuota: number
  readonly openingSource: 'sign-up' | 'grant'
}

/** Makes a user as setup needs one: row and events; nothing else follows. Fails with UsernameTaken. */
export async function addUser(
  deps: AddUserDeps,
  wanted: UserWanted,
  cause: CommandCause,
): Promise<ProjectedUser> {
  const { password, ...row } = wanted
  const { id } = await deps.users.insert({
    ...row,
    passwordHash: await deps.passwords.hash(password),
  })
  return registerUser(deps, id, cause)
}
