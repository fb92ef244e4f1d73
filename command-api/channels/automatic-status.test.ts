import { channelStream } from '@tollgate/domain/event.ts'
import { channelId } from '@tollgate/domain/ids.ts'
import type { CommandApiFixture } from '@tollgate/tests/support/command-api.ts'
import {
  type ChannelsUnderTest,
  openChannelsUnderTest,
} from '@tollgate/tests/support/channels-under-test.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { autoDisable, concludeTrial, failureWatch, halfOpen } from './automatic-status.ts'
import { loadChannel } from './channel-writer.ts'
import type { ChannelRouteDeps } from './deps.ts'

let under: ChannelsUnderTest
let fixture: CommandApiFixture
let deps: ChannelRouteDeps

beforeAll(async () => {
  under = await openChannelsUnderTest()
  ;({ fixture, deps } = under)
})
afterAll(() => under.close())
beforeEach(() => under.reset())

const put = (body: object) => under.put(body)
const made = (body?: object) => under.made(body)
const typesOf = (id: number) => under.typesOf(id)
const statusOf = (id: number) => under.statusOf(id)
const option = (key: string, text: string) => under.option(key, text)

test('given half-open channels, when their trials end, then one is back and one out for longer, each once', async () => {
  await option('AutomaticDisableChannelEnabled', 'true')
  await option('AutomaticEnableChannelEnabled', 'true')
  const why = { reason: 'no', upstreamStatus: 401, bodyExcerpt: '' }
  const [good, bad] = [await made(), await made()]
  for (const id of [good, bad]) {
    await autoDisable(deps, id, why)
    await halfOpen(deps, id, 'works')
  }
  // Two relays may have tried it at the same moment.
  await Promise.all([
    concludeTrial(deps, good, { succeeded: true }),
    concludeTrial(deps, good, { succeeded: false, ...why }),
    concludeTrial(deps, good, { succeeded: true }),
  ])
  expect((await typesOf(good)).length).toBe(4)
  await concludeTrial(deps, bad, { succeeded: false, ...why })
  await concludeTrial(deps, bad, { succeeded: true })
  expect(await typesOf(bad)).toEqual([
    'ChannelAdded',
    'ChannelAutoDisabled',
    'ChannelHalfOpened',
    'ChannelTrialFailed',
  ])
  expect((await loadChannel(deps, bad))?.recovery).toEqual({
    failures: 2,
    retryAt: fixture.clock.now() + 120_000,
  })
  await option('AutomaticEnableChannelEnabled', 'false')
  expect(await halfOpen(deps, bad, 'works')).toMatchObject({
    message: '未开启成功时自动启用通道',
  })
})

test('given a relay’s report, when it tells of a useless key, then the channel is disabled, else not', async () => {
  const id = channelId(await made())
  const report = {
    channel: id,
    upstreamStatus: 429,
    errorType: 'rate_limit',
    errorCode: '',
    message: 'slow down',
    bodyExcerpt: '{"error":{}}',
  }
  const considerFailure = failureWatch(deps)
  const quota = { ...report, message: 'You exceeded your current quota, please check' }
  await option('AutomaticDisableChannelEnabled', 'false')
  expect(await considerFailure(quota)).toBeNull()
  await option('AutomaticDisableChannelEnabled', 'true')
  expect(await considerFailure(report)).toBeNull()
  expect(await considerFailure({ ...report, channel: 987_654, upstreamStatus: 401 })).toBeNull()
  expect(await statusOf(id)).toBe('enabled')
  expect((await considerFailure(quota))?.status).toBe('done')
  const disabled = (await fixture.eventsOf(channelStream(id))).at(-1)
  expect(disabled).toMatchObject({
    type: 'ChannelAutoDisabled',
    data: { upstreamStatus: 429, bodyExcerpt: '{"error":{}}', reason: quota.message },
    metadata: { actor: 'system' },
  })
  expect(await considerFailure(quota)).toBeNull()
})

test('given an outage, when every attempt is reported, then 5 s share one read and one disabling', async () => {
  const id = channelId(await made())
  await option('AutomaticDisableChannelEnabled', 'true')
  let reads = 0
  const store = Object.create(deps.store, {
    readStream: {
      value: (...call: Parameters<typeof deps.store.readStream>) => {
        reads += 1
        return deps.store.readStream(...call)
      },
    },
  }) as typeof deps.store
  const considerFailure = failureWatch({ ...deps, store })
  const report = {
    channel: id,
    upstreamStatus: 500,
    errorType: '',
    errorCode: '',
    message: 'overloaded',
    bodyExcerpt: '',
  }
  const many = (one: typeof report) =>
    Promise.all(Array.from({ length: 20 }, () => considerFailure(one)))
  await many(report)
  await many(report)
  expect(reads).toBe(1)
  fixture.pass(5_000)
  await many(report)
  expect(reads).toBe(2)
  const outcomes = await many({ ...report, upstreamStatus: 401 })
  expect(outcomes.filter((outcome) => outcome?.status === 'done').length).toBe(1)
  expect(await statusOf(id)).toBe('auto-disabled')
  // Switched on again, it is watched again when what is known of it is old.
  await put({ id, status: 1 })
  expect(await statusOf(id)).toBe('enabled')
  expect(await considerFailure({ ...report, upstreamStatus: 401 })).toBeNull()
  fixture.pass(5_000)
  expect((await considerFailure({ ...report, upstreamStatus: 401 }))?.status).toBe('done')
})

test('given a store that fails, when a report is considered, then the next one is considered anew', async () => {
  const id = channelId(await made())
  await option('AutomaticDisableChannelEnabled', 'true')
  let isDown = true
  const store = Object.create(deps.store, {
    readStream: {
      value: (...call: Parameters<typeof deps.store.readStream>) => {
        if (isDown) throw new Error('down')
        return deps.store.readStream(...call)
      },
    },
  }) as typeof deps.store
  const considerFailure = failureWatch({ ...deps, store })
  const report = {
    channel: id,
    upstreamStatus: 401,
    errorType: '',
    errorCode: '',
    message: 'no',
    bodyExcerpt: '',
  }
  await expect(considerFailure(report)).rejects.toThrow('down')
  isDown = false
  expect((await considerFailure(report))?.status).toBe('done')
})
