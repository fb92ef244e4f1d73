import { type RecordedEvent, channelStream } from '@tollgate/domain/event.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { userStore } from '../identity/user-store.ts'
import { runSteps } from './manager/run-steps.ts'
import type { EventTriggeredWorkflow } from './manager/workflow.ts'
import { notificationOutbox } from '../notifications/outbox.ts'
import { autoDisable, concludeTrial, halfOpen } from '../channels/automatic-status.ts'
import {
  type ChannelsUnderTest,
  openChannelsUnderTest,
} from '@tollgate/tests/support/channels-under-test.ts'
import { tellAllTested } from '../channels/root-notices.ts'
import { channelNotice, type ChannelNoticeDeps } from './channel-notice.ts'

let under: ChannelsUnderTest
let telling: ChannelNoticeDeps
let kind: EventTriggeredWorkflow
let id: number

beforeAll(async () => {
  under = await openChannelsUnderTest()
  const { db, clock } = under.fixture
  telling = {
    notifier: notificationOutbox(db, clock, () => undefined),
    users: userStore(db),
    channels: under.deps.secrets,
  }
  kind = channelNotice(telling)
  await under.option('AutomaticDisableChannelEnabled', 'true')
  await under.option('AutomaticEnableChannelEnabled', 'true')
  id = await under.made({ name: '<b>main</b>' })
  const why = { reason: 'no <key>', upstreamStatus: 401, bodyExcerpt: '' }
  await autoDisable(under.deps, id, why)
  await halfOpen(under.deps, id, 'passed')
  await concludeTrial(under.deps, id, { succeeded: false, ...why })
  await halfOpen(under.deps, id, 'passed')
  await concludeTrial(under.deps, id, { succeeded: true })
  await under.put({ id, status: 2 })
  await under.put({ id, status: 1 })
})
afterAll(() => under.close())

const changes = async (): Promise<readonly RecordedEvent[]> =>
  (await under.fixture.eventsOf(channelStream(id))).filter((event) => kind.isDecidedBy(event))
const notices = async () =>
  (
    await under.fixture.pool.query(
      `select user_id::int, type, causation_id, title, content, content_values
       from identity.notifications order by id`,
    )
  ).rows
const driveAll = async (): Promise<void> => {
  for (const event of await changes()) {
    const driven = await runSteps(kind.steps(event), '', {
      clock: under.fixture.clock,
      signal: under.fixture.signal,
    })
    expect(driven).toEqual({ status: 'done' })
  }
}

test('given no root user yet, when a channel changes, then nobody is told and nothing waits', async () => {
  await driveAll()
  expect(await notices()).toEqual([])
})

test('given a channel that went and came back, when driven again, then root is told of both, once', async () => {
  const root = await userStore(under.fixture.db).insert({
    username: 'root',
    passwordHash: null,
    displayName: 'root',
    role: 100,
    openingQuota: 0,
    openingSource: 'grant',
  })
  await driveAll()
  await driveAll()
  const [out, back] = await changes()
  expect(await notices()).toEqual([
    {
      user_id: root.id,
      type: `channel_update_${id}_3`,
      causation_id: out?.id,
      title: `通道「<b>main</b>」（#${id}）已被禁用`,
      content: '通道「{{value}}」（#{{value}}）已被禁用，原因：{{value}}',
      content_values: JSON.stringify(['<b>main</b>', String(id), 'no <key>']),
    },
    {
      user_id: root.id,
      type: `channel_update_${id}_1`,
      causation_id: back?.id,
      title: `通道「<b>main</b>」（#${id}）已被启用`,
      content: '通道「{{value}}」（#{{value}}）已被启用',
      content_values: JSON.stringify(['<b>main</b>', String(id)]),
    },
  ])
})

test('given a test of all channels, when its end is told twice, then root hears it once', async () => {
  await tellAllTested(telling, { id: 'run-1', at: 5 })
  await tellAllTested(telling, { id: 'run-1', at: 5 })
  expect((await notices()).slice(2)).toMatchObject([
    { type: 'channel_test', title: '通道测试完成', content: '所有通道测试已完成' },
  ])
})
