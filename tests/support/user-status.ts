import type {
  NewUser,
  User,
  UserStatusRow,
  UserStore,
} from '@tollgate/command-api/identity/users.ts'

/** For tests without events: changes what a user's stream would say, on the row alone. */
export async function setUserStatus(
  users: Pick<UserStore, 'row' | 'project'>,
  id: number,
  change: Partial<UserStatusRow>,
): Promise<void> {
  const user = await users.row(id)
  if (user === null) throw new Error('no such user')
  const { role, group, isBanned, deletedAt } = user
  await users.project(id, { role, group, isBanned, deletedAt, revision: 1, ...change })
}

/** For tests without events: a registered user of whom there is the row alone. */
export async function insertRegistered(users: UserStore, wanted: NewUser): Promise<User> {
  const user = await users.insert(wanted)
  await setUserStatus(users, user.id, { revision: 0 })
  return user
}
