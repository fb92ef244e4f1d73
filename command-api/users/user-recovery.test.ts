import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandApiGround, openCommandApiGround } from '@tollgate/tests/support/command-api.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { accountStream, userStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { userDecider } from '@tollgate/domain/user/decider.ts'
import { TEST_CAUSE } from '@tollgate/tests/support/users-under-test.ts'
import { executeOn } from '../ledger/aggregate.ts'
import { drive } from '../ledger/process-manager/drive.ts'
import { userStore } from '../identity/user-store.ts'
import type { User, UserStore } from '../identity/users.ts'
import { registerUser } from './project-user.ts'
import { type UserRecoveryDeps, userRecovery } from './user-recovery.ts'

let ground: CommandApiGround
let deps: UserRecoveryDeps & { readonly users: UserStore }

beforeAll(async () => {
  ground = await openCommandApiGround()
  deps = {
    ...ground,
    users: userStore(ground.pool),
  }
})
afterAll(() => ground.close())

const sweep = (deps: UserRecoveryDeps, graceSeconds?: number): Promise<number> =>
  recoverRows(ground, userRecovery(deps, graceSeconds))

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

test('given a reserved row without events, when recovered, then the user is registered and credited once', async () => {
  const user = await insertUser()
  expect(await sweep(deps, 0)).toBe(1)
  expect(await typesOf(userStream(user.id))).toEqual(['UserRegistered'])
  expect(await typesOf(accountStream(user.id))).toEqual(['AccountOpened', 'QuotaCredited'])
  expect(await deps.users.byId(user.id)).toMatchObject({ isOpened: true })
  expect(await sweep(deps, 0)).toBe(0)
})

test.each([
  [{ type: 'BanUser' }, { isBanned: true }, 'suspended'],
  [{ type: 'ChangeUserRole', role: 10 }, { role: 10 }, 'active'],
  [{ type: 'ChangeUserGroup', group: 'vip' }, { group: 'vip' }, 'active'],
  [{ type: 'DeleteUser' }, { deletedAt: expect.any(Date) }, 'suspended'],
] as const)(
  'given %j whose process died after the event, when the log is followed, then %j and the account is %s',
  async (change, row, account) => {
    const { id } = await insertUser()
    await registerUser(deps, id, TEST_CAUSE)
    const command = { ...change, by: null }
    await executeOn(deps, userStream(id), userDecider, command, TEST_CAUSE)
    const [followed] = userRecovery(deps)
    const event = (await ground.eventsOf(userStream(id))).at(-1)
    if (followed?.from !== 'event' || event === undefined) throw new Error('nothing to follow')
    expect(followed.eventTypes).toContain(event.type)
    await drive(followed.steps(event), '', ground.clock, ground.signal)
    expect(await deps.users.byId(id, { isDeletedWanted: true })).toMatchObject(row)
    expect(await ground.ledger.inspect(userId(id), ({ status }) => status)).toBe(account)
  },
)

test('given a fresh row, when swept, then it is left to whoever works on it', async () => {
  const user = await insertUser()
  expect(await sweep(deps)).toBe(0)
  expect(await typesOf(userStream(user.id))).toEqual([])
  await sweep(deps, 0)
})

test('given one row that cannot be finished, when swept, then it is not opened and the others are finished', async () => {
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
  expect((await deps.users.byId(good.id))?.isOpened).toBe(true)
  expect((await deps.users.byId(bad.id))?.isOpened).toBe(false)
})
