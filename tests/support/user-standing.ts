import type { UserStanding, UserStore } from '@tollgate/command-api/identity/users.ts'

/** For tests without events: changes what a user's stream would say, on the row alone. */
export async function setStanding(
  users: Pick<UserStore, 'byId' | 'project'>,
  id: number,
  change: Partial<UserStanding>,
): Promise<void> {
  const user = await users.byId(id, { isDeletedWanted: true })
  if (user === null) throw new Error('no such user')
  const { role, group, isBanned, deletedAt } = user
  await users.project(id, { role, group, isBanned, deletedAt, revision: 1, ...change })
}
