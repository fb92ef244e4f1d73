import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { setUserStatus } from '@tollgate/tests/support/user-status.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { accountStream, userStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { userDecider } from '@tollgate/domain/user/decider.ts'
import { TEST_CAUSE } from '@tollgate/tests/support/users-under-test.ts'
import { executeOn } from '../aggregates/aggregate.ts'
import { runSteps } from './manager/run-steps.ts'
import { userStore } from '../identity/user-store.ts'
import type { NewUser, User, UserStore } from '../identity/users.ts'
import { ORPHAN_AGE_SECONDS } from './orphan-recovery.ts'
import { registerUser } from '../users/project-user.ts'
import { type UserRecoveryDeps, userRecovery } from './user-recovery.ts'

let fixture: CommandApiFixture
let deps: UserRecoveryDeps & { readonly users: UserStore }

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  deps = {
    ...fixture,
    users: userStore(fixture.db),
  }
})
afterAll(() => fixture.close())

const sweep = (deps: UserRecoveryDeps, ...ages: readonly [number?, number?]): Promise<number> =>
  recoverRows(fixture, userRecovery(deps, ...ages))

let made = 0
const insertUser = (more: Partial<NewUser> = {}): Promise<User> =>
  deps.users.insert({
    username: `user${++made}`,
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 500,
    openingSource: 'sign-up',
    ...more,
  })
/** A row that is registered, of which the log has nothing. */
async function insertLost(): Promise<User> {
  const user = await insertUser()
  await setUserStatus(deps.users, user.id, { revision: 0 })
  return user
}
const age = (id: number, seconds: number) =>
  fixture.pool.query(
    'update identity.users set touched_at = touched_at - make_interval(secs => $2) where id = $1',
    [id, seconds],
  )
const typesOf = async (stream: string) => (await fixture.eventsOf(stream)).map(({ type }) => type)

test('given a reserved row without events, when searched for, then it is hidden and its names are taken', async () => {
  const { users } = deps
  const email = 'reserved@example.com'
  const { id, username, affCode } = await insertUser({ email, isEmailOwn: true, affCode: 'abcd' })
  const found = [users.byId(id), users.byLogin(username), users.byAffCode(affCode ?? '')]
  expect(await Promise.all(found)).toEqual([null, null, null])
  expect(await users.byEmail(email, 9)).toEqual([])
  const search = { keyword: username, group: '', ids: null, reader: { userId: 1, role: 100 } }
  expect((await users.page(search, { offset: 0, limit: 9 })).total).toBe(0)
  expect([await users.isNameTaken(username, 0), await users.isEmailTaken(email)]).toEqual([
    true,
    true,
  ])
  await users.free(id, 0)
})

test('given a reserved row without events, when it ages, then its names are free again and not before', async () => {
  const { id, username } = await insertUser()
  await age(id, ORPHAN_AGE_SECONDS - 60)
  expect(await sweep(deps)).toBe(0)
  await age(id, 120)
  expect(await sweep(deps)).toBe(1)
  expect(await deps.users.isNameTaken(username, 0)).toBe(false)
  expect(await typesOf(userStream(id))).toEqual([])
})

test('given an aged reserved row that a search has found, when it is registered meanwhile, then it stays', async () => {
  const { id } = await insertUser()
  await age(id, ORPHAN_AGE_SECONDS + 60)
  const [, rows] = userRecovery(deps)
  if (rows?.from !== 'row') throw new Error('nothing to search')
  const found = await rows.find()
  expect(found).toEqual([`identity.users/${id}`])
  const append: typeof fixture.store.append = async (...call) => {
    if (call[0] === userStream(id)) {
      await runSteps(rows.steps(found[0] ?? ''), '', {
        clock: fixture.clock,
        signal: fixture.signal,
      })
    }
    return fixture.store.append(...call)
  }
  await registerUser({ ...deps, store: { ...fixture.store, append } }, id, TEST_CAUSE)
  expect(await deps.users.byId(id)).toMatchObject({ isOpened: true })
  expect(await typesOf(userStream(id))).toEqual(['UserRegistered'])
})

test('given a reserved row whose event is in the log, when it ages, then user and account are there', async () => {
  const { id } = await insertUser()
  const project = () => Promise.reject(new Error('died'))
  const dying = { ...deps, users: { ...deps.users, project } }
  await expect(registerUser(dying, id, TEST_CAUSE)).rejects.toThrow('died')
  expect(await deps.users.byId(id)).toBeNull()
  await age(id, ORPHAN_AGE_SECONDS + 60)
  expect(await sweep(deps)).toBe(1)
  expect(await deps.users.byId(id)).toMatchObject({ isOpened: true })
})

test('given a registered user whom the log has lost, when recovered, then they are credited once', async () => {
  const user = await insertLost()
  expect(await sweep(deps, 0)).toBe(1)
  expect(await typesOf(userStream(user.id))).toEqual(['UserRegistered'])
  expect(await typesOf(accountStream(user.id))).toEqual(['AccountOpened', 'QuotaCredited'])
  expect(await deps.users.byId(user.id)).toMatchObject({ isOpened: true })
  expect(await sweep(deps, 0)).toBe(0)
})

test('given a row that a process of before revisions has opened, when looked for, then its user is there', async () => {
  const { id, username } = await insertUser()
  await fixture.pool.query(
    'update identity.users set is_pending = false, is_opened = true where id = $1',
    [id],
  )
  expect(await deps.users.byLogin(username)).toMatchObject({ id })
  expect(await deps.users.free(id, 0)).toBe(false)
})

test('given an opened row that is pending still, when swept, then it is settled', async () => {
  const { id } = await insertUser()
  await registerUser(deps, id, TEST_CAUSE)
  await fixture.pool.query('update identity.users set is_pending = true where id = $1', [id])
  expect(await sweep(deps, 0)).toBe(1)
  expect(await sweep(deps, 0)).toBe(0)
})

test.each([
  [{ type: 'BanUser' }, { isBanned: true }, 'suspended'],
  [{ type: 'ChangeUserRole', role: 10 }, { role: 10 }, 'active'],
  [{ type: 'ChangeUserGroup', group: 'vip' }, { group: 'vip' }, 'active'],
  [{ type: 'DeleteUser' }, { deletedAt: expect.any(Date) }, 'suspended'],
] as const)(
  'given %j whose process died after the event, when followed, then %j and the account is %s',
  async (change, row, account) => {
    const { id } = await insertUser()
    await registerUser(deps, id, TEST_CAUSE)
    const command = { ...change, by: null }
    await executeOn(deps, { stream: userStream(id), decider: userDecider, command }, TEST_CAUSE)
    const [followed] = userRecovery(deps)
    const event = (await fixture.eventsOf(userStream(id))).at(-1)
    if (followed?.from !== 'event' || event === undefined) throw new Error('nothing to follow')
    expect(followed.eventTypes).toContain(event.type)
    await runSteps(followed.steps(event), '', { clock: fixture.clock, signal: fixture.signal })
    expect(await deps.users.byId(id, { isDeletedWanted: true })).toMatchObject(row)
    expect(await fixture.ledger.inspect(userId(id), ({ status }) => status)).toBe(account)
  },
)

test('given a fresh row, when swept, then it is left to whoever works on it', async () => {
  const user = await insertLost()
  expect(await sweep(deps)).toBe(0)
  expect(await typesOf(userStream(user.id))).toEqual([])
  await sweep(deps, 0)
})

test('given one row that cannot be finished, when swept, then it stays shut and the others are finished', async () => {
  const bad = await insertLost()
  const good = await insertLost()
  const store = {
    ...fixture.store,
    append: (...call: Parameters<typeof fixture.store.append>) =>
      call[0] === userStream(bad.id)
        ? Promise.reject(new Error('no'))
        : fixture.store.append(...call),
  }
  expect(await sweep({ ...deps, store }, 0)).toBe(1)
  expect((await deps.users.byId(good.id))?.isOpened).toBe(true)
  expect((await deps.users.byId(bad.id))?.isOpened).toBe(false)
})
