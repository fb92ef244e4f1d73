import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CommandApiGround } from '@tollgate/tests/support/command-api.ts'
import {
  openUsersUnderTest,
  TEST_CAUSE,
  type UsersUnderTest,
} from '@tollgate/tests/support/users-under-test.ts'
import { userStream } from '@tollgate/domain/event.ts'
import type { User } from '../identity/users.ts'
import { alignUser } from './align.ts'
import type { UserRouteDeps } from './self-routes.ts'

let under: UsersUnderTest
let ground: CommandApiGround
let deps: UserRouteDeps

beforeAll(async () => {
  under = await openUsersUnderTest()
  ;({ ground, deps } = under)
})
afterAll(() => under.close())

const register: UsersUnderTest['register'] = (...terms) => under.register(...terms)
const typesOf = (stream: string) => under.typesOf(stream)

test('given a row that another changes while its events are written, when confirmed, then the events follow it there', async () => {
  const user = await register()
  const banned = await deps.users.update(user.id, { isBanned: true })
  let changes = 0
  const users = {
    ...deps.users,
    confirm: async (row: User) => {
      if (changes++ === 0) await deps.users.update(user.id, { isBanned: false, group: 'vip' })
      return deps.users.confirm(row)
    },
  }
  await alignUser({ ...deps, users }, banned ?? user, TEST_CAUSE)
  expect(await typesOf(userStream(user.id))).toEqual([
    'UserRegistered',
    'UserBanned',
    'UserGroupChanged',
    'UserReinstated',
  ])
  expect(await ground.ledger.inspect(user.id, ({ status }) => status)).toBe('active')
  expect(await deps.users.byId(user.id)).toMatchObject({ isPending: false, isBanned: false })
})
