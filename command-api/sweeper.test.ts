import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandApiGround, openCommandApiGround } from '@tollgate/tests/support/command-api.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { accountStream, channelStream, userStream } from '@tollgate/domain/event.ts'
import { channelId } from '@tollgate/domain/ids.ts'
import { destinationOf } from '@tollgate/domain/channel/destination.ts'
import { NEW_CHANNEL } from './channels/channel-fields.ts'
import { insertSecrets, addChannel } from './channels/channel-writer.ts'
import { userStore } from './identity/user-store.ts'
import type { User } from './identity/users.ts'
import { channelSecrets } from './secrets/channel-secrets.ts'
import { type SweeperDeps, unfinishedRows } from './sweeper.ts'

let ground: CommandApiGround
let deps: SweeperDeps
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

beforeAll(async () => {
  ground = await openCommandApiGround()
  deps = {
    ...ground,
    users: userStore(ground.pool),
    channels: channelSecrets(ground.pool, ground.vault, ground.clock),
  }
})
afterAll(() => ground.close())

const sweep = (deps: SweeperDeps, graceSeconds?: number): Promise<number> =>
  recoverRows(ground, unfinishedRows(deps, graceSeconds))

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
