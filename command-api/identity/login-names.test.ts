import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertRegistered } from '@tollgate/tests/support/user-status.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { EmailTaken, UsernameTaken } from './name-conflicts.ts'
import { userStore } from './user-store.ts'
import type { NewUser, User, UserStore } from './users.ts'

let fixture: CommandApiFixture
let users: UserStore
let made = 0

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  users = userStore(fixture.db)
})
afterAll(() => fixture.close())

const insert = (user: Partial<NewUser> = {}): Promise<User> =>
  insertRegistered(users, {
    username: `user${++made}`,
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 0,
    openingSource: 'sign-up',
    ...user,
  })
const rowsOf = async (login: string): Promise<number> => {
  const { rowCount } = await fixture.pool.query(
    'select from identity.users where lower(username) = $1 or lower(email) = $1',
    [login],
  )
  return rowCount ?? 0
}

test('given one text, when many write it at once as name or e-mail of theirs, then one has it', async () => {
  for (let round = 0; round < 5; round++) {
    const login = `race${round}@ex.com`
    const [ann, bea, cid] = [await insert(), await insert(), await insert({ email: login })]
    await fixture.pool.query("update identity.users set email = '' where id = $1", [cid.id])
    const writes = [
      users.update(ann.id, { ownEmail: login }),
      users.update(bea.id, { ownEmail: login.toUpperCase(), username: login }),
      users.update(cid.id, { ownEmail: login.toUpperCase() }),
      insert({ username: login, email: login, isEmailOwn: true }),
      insert({ username: login.toUpperCase(), email: login }),
    ]
    const done = await Promise.allSettled(writes)
    const refused = done.filter(({ status }) => status === 'rejected')
    for (const one of refused) {
      const { reason } = one as PromiseRejectedResult
      expect(reason instanceof UsernameTaken || reason instanceof EmailTaken).toBe(true)
    }
    expect(refused).toHaveLength(4)
    expect(await rowsOf(login)).toBe(1)
  }
})

test('given a name, when others take it in other capitals, for new or by renaming, then it is taken', async () => {
  await insert({ username: 'Root' })
  const other = await insert()
  await expect(insert({ username: 'root' })).rejects.toThrow(UsernameTaken)
  await expect(users.update(other.id, { username: 'ROOT' })).rejects.toThrow(UsernameTaken)
  expect(await users.isNameTaken('rOOt', other.id)).toBe(true)
})

test('given old names that differ by capitals, when one of them is saved as it is, then it stays', async () => {
  const first = await insert({ username: 'twin' })
  const second = await insert()
  await fixture.pool.query("update identity.users set username = 'Twin' where id = $1", [second.id])
  expect(await users.update(second.id, { username: 'Twin', displayName: 'x' })).toMatchObject({
    username: 'Twin',
    displayName: 'x',
  })
  expect((await users.byLogin('Twin'))?.id).toBe(second.id)
  expect((await users.byLogin('twin'))?.id).toBe(first.id)
})

test('given a name that looks like an e-mail, when it is saved, then only the own e-mail is taken', async () => {
  const user = await insert()
  await expect(users.update(user.id, { username: 'my@ex.com' })).rejects.toMatchObject({
    code: 'USERNAME_TAKEN',
    why: 'an-email',
  })
  await users.update(user.id, { ownEmail: 'My@ex.com' })
  expect((await users.update(user.id, { username: 'my@ex.com' }))?.username).toBe('my@ex.com')
  // With another e-mail the former one stays theirs as name: nobody else can have it.
  await users.update(user.id, { ownEmail: 'other@ex.com' })
  await expect(insert({ email: 'MY@ex.com', isEmailOwn: true })).rejects.toThrow(EmailTaken)
  await expect(insert({ email: 'MY@ex.com' })).rejects.toThrow(EmailTaken)
})

test('given an old name that is an e-mail, when it is signed in with, then it means the e-mail’s owner', async () => {
  const thief = await insert()
  const owner = await insert({ email: 'old@ex.com', isEmailOwn: true })
  await fixture.pool.query("update identity.users set username = 'old@ex.com' where id = $1", [
    thief.id,
  ])
  expect((await users.byLogin('old@ex.com'))?.id).toBe(owner.id)
})
