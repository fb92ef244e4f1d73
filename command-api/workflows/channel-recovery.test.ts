import { destinationOf } from '@tollgate/domain/channel/destination.ts'
import { channelStream } from '@tollgate/domain/event.ts'
import { type ChannelId, channelId } from '@tollgate/domain/ids.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { TEST_CAUSE } from '@tollgate/tests/support/users-under-test.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChannelSecrets, channelSecrets } from '../secrets/channel-secrets.ts'
import { ORPHAN_AGE_SECONDS } from './orphan-recovery.ts'
import { NEW_CHANNEL } from '../channels/channel-fields.ts'
import { channelRecovery } from './channel-recovery.ts'
import { addChannel, deleteChannel, insertSecrets } from '../channels/channel-writer.ts'

const SECRET = { name: 'c', key: 'k', proxy: '' }
const TERMS = { ...NEW_CHANNEL, type: 1, models: ['m'] }
let fixture: CommandApiFixture
let secrets: ChannelSecrets

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  secrets = channelSecrets(fixture.db, fixture.vault, fixture.clock)
})
afterAll(() => fixture.close())

async function added(): Promise<ChannelId> {
  const [id = channelId(0)] = await insertSecrets({ secrets }, [SECRET], TERMS)
  await addChannel({ ...fixture, secrets }, id, TERMS, TEST_CAUSE)
  return id
}
const recover = (own: ChannelSecrets = secrets) =>
  recoverRows(fixture, channelRecovery({ ...fixture, secrets: own }))
const age = (seconds: number) =>
  fixture.pool.query(
    'update secrets.channels set touched_at = touched_at - make_interval(secs => $1)',
    [seconds],
  )
const typesOf = async (id: number) =>
  (await fixture.eventsOf(channelStream(id))).map(({ type }) => type)

test('given a row whose event never came, when it ages, then its key is forgotten and not before', async () => {
  const lost = await secrets.insert(SECRET, destinationOf(TERMS))
  const kept = await added()
  await age(ORPHAN_AGE_SECONDS - 60)
  expect(await recover()).toBe(0)
  expect((await secrets.open(lost))?.key).toBe('k')
  await age(120)
  expect(await recover()).toBe(2)
  expect(await secrets.open(lost)).toBeNull()
  expect((await secrets.open(kept))?.key).toBe('k')
  expect(await typesOf(kept)).toEqual(['ChannelAdded'])
  expect(await recover()).toBe(0)
})

test('given a new key of which no event told, when a minute has passed, then one does, once', async () => {
  const id = await added()
  await secrets.update(id, { key: 'k2' }, 0)
  expect(await recover()).toBe(0)
  await age(61)
  expect(await recover()).toBe(1)
  expect(await typesOf(id)).toEqual(['ChannelAdded', 'ChannelKeyReplaced'])
  expect(await recover()).toBe(0)
})

test('given a new name alone, when its request died, then nobody is told of a key', async () => {
  const id = await added()
  await secrets.update(id, { name: 'renamed' }, 0)
  await age(ORPHAN_AGE_SECONDS + 60)
  await recover()
  expect(await typesOf(id)).toEqual(['ChannelAdded'])
})

test('given a row that another changes during recovery, when they crash, then that change is told next', async () => {
  const id = await added()
  await secrets.update(id, { key: 'k2' }, 0)
  await age(61)
  const changing: ChannelSecrets = {
    ...secrets,
    async confirm(row, revision) {
      await secrets.update(row, { key: 'k3' }, 1)
      return secrets.confirm(row, revision)
    },
  }
  await recover(changing)
  await age(61)
  await recover()
  const told = ['ChannelAdded', 'ChannelKeyReplaced', 'ChannelKeyReplaced']
  expect(await typesOf(id)).toEqual(told)
  expect(await recover()).toBe(0)
})

test('given a row changed while its first event is sought, when settled, then the change is told', async () => {
  const id = await added()
  await age(ORPHAN_AGE_SECONDS + 60)
  await recover({
    ...secrets,
    async settle(row) {
      await secrets.update(row, { key: 'k2' }, 0)
      return secrets.settle(row)
    },
  })
  await age(61)
  await recover()
  expect(await typesOf(id)).toEqual(['ChannelAdded', 'ChannelKeyReplaced'])
})

test('given a changed row whose channel the log does not know, when looked at, then its key is forgotten', async () => {
  const lost = await secrets.insert(SECRET, destinationOf(TERMS))
  const deleted = await added()
  for (const id of [lost, deleted]) await secrets.update(id, { key: 'k2' }, 0)
  const dying = { ...secrets, erase: () => Promise.reject(new Error('dead')) }
  const deletion = deleteChannel({ ...fixture, secrets: dying }, deleted, TEST_CAUSE)
  await expect(deletion).rejects.toThrow('dead')
  await age(61)
  await recover()
  expect([await secrets.open(lost), await secrets.open(deleted)]).toEqual([null, null])
})
