import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandApiGround, openCommandApiGround } from '@tollgate/tests/support/command-api.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { accountStream, userStream } from '@tollgate/domain/event.ts'
import { userStore } from '../identity/user-store.ts'
import type { User, UserStore } from '../identity/users.ts'
import { type UnalignedUserDeps, unalignedUsers } from './unaligned-users.ts'

let ground: CommandApiGround
let deps: UnalignedUserDeps & { readonly users: UserStore }

beforeAll(async () => {
  ground = await openCommandApiGround()
  deps = {
    ...ground,
    users: userStore(ground.pool),
  }
})
afterAll(() => ground.close())

const sweep = (deps: UnalignedUserDeps, graceSeconds?: number): Promise<number> =>
  recoverRows(ground, [unalignedUsers(deps, graceSeconds)])

let made = 0
const insertUser = (): Promise<User> =>
  deps.users.insert({
    username: `user${++made}`,
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 500,
    openingSource: 'sign-up',
  })
const typesOf = async (stream: string) => (await ground.eventsOf(stream)).map(({ type }) => type)

test('given a user row without events, when swept, then everything it asks for is there, and nothing again after that', async () => {
  const user = await insertUser()
  await deps.users.update(user.id, { isBanned: true })
  expect(await sweep(deps, 0)).toBe(1)
  expect(await typesOf(userStream(user.id))).toEqual(['UserRegistered', 'UserBanned'])
  expect(await typesOf(accountStream(user.id))).toEqual([
    'AccountOpened',
    'QuotaCredited',
    'AccountSuspended',
  ])
  expect(await deps.users.byId(user.id)).toMatchObject({ isPending: false, isOpened: true })
  expect(await sweep(deps, 0)).toBe(0)
})

test('given a fresh pending row, when swept, then it is left to whoever works on it', async () => {
  const user = await insertUser()
  expect(await sweep(deps)).toBe(0)
  expect(await typesOf(userStream(user.id))).toEqual([])
  await sweep(deps, 0)
})

test('given one row that cannot be finished, when swept, then it stays pending and the others are finished', async () => {
  const bad = await insertUser()
  const good = await insertUser()
  const store = {
    ...ground.store,
    append: (...call: Parameters<typeof ground.store.append>) =>
      call[0] === userStream(bad.id)
        ? Promise.reject(new Error('no'))
        : ground.store.append(...call),
  }
  expect(await sweep({ ...deps, store }, 0)).toBe(1)
  expect((await deps.users.byId(good.id))?.isPending).toBe(false)
  expect((await deps.users.byId(bad.id))?.isPending).toBe(true)
})
