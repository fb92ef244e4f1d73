import {
  type ChannelsUnderTest,
  openChannelsUnderTest,
} from '@tollgate/tests/support/channels-under-test.ts'
import { callerWith, callRoute } from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executeOnChannel } from './channel-writer.ts'
import { channelHistoryRoute } from './history-route.ts'

let under: ChannelsUnderTest

beforeAll(async () => {
  under = await openChannelsUnderTest()
})
afterAll(() => under.close())

const read = (id: number, query: Readonly<Record<string, string>> = {}) => {
  const usernames = (ids: readonly number[]) =>
    Promise.resolve(new Map(ids.map((user) => [user, `user${user}`])))
  return callRoute(
    [channelHistoryRoute({ ...under.fixture, usernames })],
    'GET /api/channel/:id/history',
    { params: { id: String(id) }, query, caller: callerWith(1, 10) },
  )
}

test('given a channel that went out of service and back, when its history is read, then each change says when, by whom and why', async () => {
  const id = await under.made()
  await under.put({ id, name: 'renamed' })
  await under.put({ id, status: 2 })
  await under.put({ id, status: 1 })
  await executeOnChannel(
    under.deps,
    {
      id,
      command: {
        type: 'AutoDisableChannel',
        reason: 'no such key',
        upstreamStatus: 401,
        bodyExcerpt: '{"error":{}}',
        isSwitchedOn: true,
      },
    },
    { actor: 'system', correlationId: 'test', causationId: null },
  )
  const reply = await read(id)
  expect(reply.data).toMatchObject({
    items: [
      {
        event: 'ChannelAutoDisabled',
        state: 'auto-disabled',
        user_id: null,
        username: '',
        reason: 'no such key',
        upstream_status: 401,
        body_excerpt: '{"error":{}}',
      },
      { event: 'ChannelEnabled', state: 'enabled', upstream_status: null },
      { event: 'ChannelDisabled', state: 'disabled' },
      { event: 'ChannelAdded', state: 'enabled' },
    ],
    next_before: null,
  })
  expect((await read(id, { limit: '1' })).data).toMatchObject({
    items: [{ state: 'auto-disabled' }],
    next_before: expect.any(Number),
  })
  await under.call('DELETE /api/channel/:id', { params: { id: String(id) } })
  const afterwards = (await read(id)).data as { items: readonly object[] }
  expect(afterwards.items[0]).toMatchObject({ event: 'ChannelDeleted', state: 'deleted' })
  expect(afterwards.items).toHaveLength(5)
})

test('given no such channel, when its history is read, then it is not found', async () => {
  expect(await read(987_654)).toMatchObject({ success: false, message: 'record not found' })
  expect(await read(0)).toMatchObject({ success: false })
})
