import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openUsersUnderTest,
  TEST_CAUSE,
  type UsersUnderTest,
} from '@tollgate/tests/support/users-under-test.ts'
import { userStream } from '@tollgate/domain/event.ts'
import { type ChangeOfUser, userDecider } from '@tollgate/domain/user/decider.ts'
import type { User, UserStore } from '../identity/users.ts'
import { executeOn } from '../aggregates/aggregate.ts'
import { projectUser } from './project-user.ts'

let under: UsersUnderTest

beforeAll(async () => {
  under = await openUsersUnderTest()
})
afterAll(() => under.close())

const append = (user: User, command: ChangeOfUser) =>
  executeOn(under.deps, { stream: userStream(user.id), decider: userDecider, command }, TEST_CAUSE)
const statusOf = (user: User) => under.fixture.ledger.inspect(user.id, ({ status }) => status)

test('given a ban projected after a later reinstatement, when both are done, then the user is active', async () => {
  const { deps } = under
  const user = await under.register()
  await append(user, { type: 'BanUser', by: null })
  let isFirst = true
  const project: UserStore['project'] = async (id, status) => {
    if (isFirst) {
      isFirst = false
      await append(user, { type: 'ReinstateUser', by: null })
      await append(user, { type: 'ChangeUserGroup', by: null, group: 'vip' })
      await projectUser(deps, id, TEST_CAUSE)
    }
    return deps.users.project(id, status)
  }
  await projectUser({ ...deps, users: { ...deps.users, project } }, user.id, TEST_CAUSE)
  expect(await deps.users.byId(user.id)).toMatchObject({ isBanned: false, group: 'vip' })
  expect(await statusOf(user)).toBe('active')
})

test('given a row of a later revision, when an earlier one is projected, then the row stays', async () => {
  const { users } = under.deps
  const { id } = await under.register()
  const status = { role: 1, group: 'default', isBanned: true, deletedAt: null } as const
  await users.project(id, { ...status, revision: 2 })
  expect(await users.project(id, { ...status, isBanned: false, revision: 1 })).toMatchObject({
    isBanned: true,
  })
})

test('given a row that names another role and group than its events, when projected, then the events win', async () => {
  const { users } = under.deps
  const user = await under.register()
  await under.fixture.pool.query(
    `update identity.users set role = 10, user_group = 'vip', status = 2, deleted_at = now() where id = $1`,
    [user.id],
  )
  await projectUser(under.deps, user.id, TEST_CAUSE)
  const asRegistered = { role: 1, group: 'default', isBanned: false, deletedAt: null }
  expect(await users.byId(user.id)).toMatchObject(asRegistered)
})
