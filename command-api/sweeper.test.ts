import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandApiGround, openCommandApiGround } from '@tollgate/tests/support/command-api.ts'
import { accountStream, channelStream, userStream } from '@tollgate/domain/event.ts'
import { channelId } from '@tollgate/domain/ids.ts'
import { destinationOf } from '@tollgate/domain/channel/destination.ts'
import { NO_QUOTA, quota } from '@tollgate/domain/quota.ts'
import { NEW_CHANNEL } from './channels/channel-fields.ts'
import { insertSecrets, addChannel } from './channels/channel-writer.ts'
import { userStore } from './identity/user-store.ts'
import type { User } from './identity/users.ts'
import { channelSecrets } from './secrets/channel-secrets.ts'
import { tokenSecrets } from './secrets/token-secrets.ts'
import { drive } from './ledger/process-manager/drive.ts'
import { type SweeperDeps, unfinishedRows } from './sweeper.ts'
import { issueToken } from './tokens/issue-token.ts'

let ground: CommandApiGround
let deps: SweeperDeps
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

beforeAll(async () => {
  ground = await openCommandApiGround()
  deps = {
    ...ground,
    users: userStore(ground.pool),
    tokens: tokenSecrets(ground.pool, ground.vault, ground.clock),
    channels: channelSecrets(ground.pool, ground.vault, ground.clock),
  }
})
afterAll(() => ground.close())

/** What the process manager does with rows, once; answers how many were finished. */
async function sweep(deps: SweeperDeps, graceSeconds?: number): Promise<number> {
  let finished = 0
  for (const { find, steps } of unfinishedRows(deps, graceSeconds)) {
    for (const id of await find()) {
      const driven = await drive(steps(id), '', ground.clock, ground.signal)
      if (driven.status === 'done') finished++
    }
  }
  return finished
}

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
const terms = { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] }
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

test('given a token row whose event never came, when swept, then its key is forgotten', async () => {
  const user = await insertUser()
  const token = await deps.tokens.insert({ userId: user.id, name: 'lost', key: 'k1' })
  await sweep(deps, 0)
  expect((await deps.tokens.describe([token])).get(token)).toMatchObject({ key: '' })
  expect(await deps.tokens.findByKey('k1')).toBeNull()
})

test('given a token whose confirmation was lost, when swept, then its key works', async () => {
  const user = await insertUser()
  await sweep(deps, 0)
  const dying = { ...deps.tokens, confirm: () => Promise.reject(new Error('died')) }
  await expect(
    issueToken(
      { ...ground, secrets: dying },
      { user: user.id, name: 't', remain: NO_QUOTA, terms, cause },
    ),
  ).rejects.toThrow('died')
  const [id] = await deps.tokens.search(user.id, { name: 't', key: '' })
  const key = (await deps.tokens.describe([id ?? 0])).get(id ?? 0)?.key ?? ''
  expect(await deps.tokens.findByKey(key)).toBeNull()
  expect(await sweep(deps, 0)).toBe(1)
  expect(await deps.tokens.findByKey(key)).toEqual({ id, userId: user.id })
})

test('given a deletion that died before or after its event, when swept, then the token works on or is gone', async () => {
  const user = await insertUser()
  await sweep(deps, 0)
  const issue = (name: string) =>
    issueToken(
      { ...ground, secrets: deps.tokens },
      { user: user.id, name, remain: quota(1), terms, cause },
    )
  const [before, after] = [await issue('before'), await issue('after')]
  if (before.status !== 'done' || after.status !== 'done') throw new Error('not issued')
  await deps.tokens.suspend(before.token)
  await deps.tokens.suspend(after.token)
  await ground.ledger.execute(user.id, { type: 'DeleteToken', token: after.token }, cause)
  expect(await sweep(deps, 0)).toBe(2)
  const described = await deps.tokens.describe([before.token, after.token])
  expect(described.get(before.token)?.key).not.toBe('')
  expect(described.get(after.token)).toMatchObject({ name: 'after', key: '' })
})

test('given channel rows ahead of their events, when swept, then a lost one is forgotten and a new key is told of', async () => {
  const secret = { name: 'c', key: 'k', proxy: '' }
  const terms = { ...NEW_CHANNEL, type: 1, models: ['m'] }
  const lost = await deps.channels.insert(secret, destinationOf(terms))
  const writer = { ...ground, secrets: deps.channels }
  const [id = channelId(0)] = await insertSecrets(writer, [secret], terms)
  await addChannel(writer, id, terms, cause)
  await deps.channels.update(id, { key: 'k2' }, 0)
  expect(await sweep(deps, 0)).toBe(2)
  expect(await deps.channels.open(lost)).toBeNull()
  expect(await typesOf(channelStream(id))).toEqual(['ChannelAdded', 'ChannelKeyReplaced'])
  expect(await sweep(deps, 0)).toBe(0)
})

test('given a channel row that another changes while it is swept, when they crash then, then the next sweep tells of that change', async () => {
  const secret = { name: 'c', key: 'k', proxy: '' }
  const terms = { ...NEW_CHANNEL, type: 1, models: ['m'] }
  const writer = { ...ground, secrets: deps.channels }
  const [id = channelId(0)] = await insertSecrets(writer, [secret], terms)
  await addChannel(writer, id, terms, cause)
  await deps.channels.update(id, { key: 'k2' }, 0)
  const channels: SweeperDeps['channels'] = {
    ...deps.channels,
    async confirm(row, revision) {
      await deps.channels.update(row, { key: 'k3' }, 1)
      return deps.channels.confirm(row, revision)
    },
  }
  await sweep({ ...deps, channels }, 0)
  expect(await deps.channels.isPending(id)).toBe(true)
  await sweep(deps, 0)
  const told = ['ChannelAdded', 'ChannelKeyReplaced', 'ChannelKeyReplaced']
  expect(await typesOf(channelStream(id))).toEqual(told)
  expect(await deps.channels.isPending(id)).toBe(false)
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
