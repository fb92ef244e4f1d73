import type { Position } from '@tollgate/domain/event.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { Passwords } from '../identity/passwords.ts'
import type { User, UserStore } from '../identity/users.ts'
import type { CommandCause } from '../ledger/cause.ts'
import { alignUser, type UserWriter } from './align.ts'

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

/** Makes a user as setup needs one: row, events, confirmation; nothing else follows. Fails with UsernameTaken. */
export async function addUser(
  deps: AddUserDeps,
  wanted: UserWanted,
  cause: CommandCause,
): Promise<{ readonly user: User; readonly position: Position }> {
  const { password, ...row } = wanted
  const user = await deps.users.insert({
    ...row,
    passwordHash: await deps.passwords.hash(password),
  })
  return { user, position: await alignUser(deps, user, cause) }
}
