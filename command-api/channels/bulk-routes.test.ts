import {
  type ChannelsUnderTest,
  openChannelsUnderTest,
} from '@tollgate/tests/support/channels-under-test.ts'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { loadChannel } from './channel-writer.ts'
import type { ChannelRouteDeps } from './deps.ts'

let under: ChannelsUnderTest
let deps: ChannelRouteDeps

beforeAll(async () => {
  under = await openChannelsUnderTest()
  ;({ deps } = under)
})
afterAll(() => under.close())
beforeEach(() => under.reset())

const call: ChannelsUnderTest['call'] = (name, rest) => under.call(name, rest)
const made = (body?: object) => under.made(body)
const listed = () => under.listed()
const typesOf = (id: number) => under.typesOf(id)
const statusOf = (id: number) => under.statusOf(id)

test('given tags, when set, revised, switched and dissolved, then all channels of the tag follow', async () => {
  const a = await made({ tag: '' })
  const b = await made({ tag: 'other' })
  const tag = (ids: number[], to: string | null) =>
    call('POST /api/channel/batch/tag', { body: { ids, tag: to } })
  expect((await tag([a, b], 't')).data).toBe(2)
  await call('PUT /api/channel/tag', {
    body: { tag: 't', models: 'm1,m2', groups: '', priority: 5, weight: 0, model_mapping: null },
  })
  for (const id of [a, b]) {
    expect((await loadChannel(deps, id))?.terms).toMatchObject({
      tag: 't',
      models: ['m1', 'm2'],
      groups: ['default'],
      priority: 5,
    })
  }
  await call('POST /api/channel/tag/disabled', { body: { tag: 't' } })
  expect([await statusOf(a), await statusOf(b)]).toEqual(['disabled', 'disabled'])
  await call('POST /api/channel/tag/enabled', { body: { tag: 't' } })
  expect([await statusOf(a), await statusOf(b)]).toEqual(['enabled', 'enabled'])
  await call('PUT /api/channel/tag', { body: { tag: 't', new_tag: '' } })
  expect((await loadChannel(deps, a))?.terms.tag).toBe('')
  expect((await tag([a], null)).data).toBe(1)
})

test('given one channel that refuses a tag edit, when edited, then none changes', async () => {
  const a = await made({ tag: 't' })
  const b = await made({ tag: 't', type: 41, other: 'us-east1' })
  const reply = await call('PUT /api/channel/tag', { body: { tag: 't', weight: -1 } })
  expect(reply).toMatchObject({ success: false, message: `#${a}: 权重必须是非负整数！` })
  expect(await typesOf(b)).toEqual(['ChannelAdded'])
})

const MANY = Array.from({ length: 1_001 }, (_, at) => at + 1)

test.each([
  ['POST /api/channel/batch', { ids: [] }, '参数错误'],
  ['POST /api/channel/batch', { ids: ['1'] }, '参数错误'],
  ['POST /api/channel/batch', { ids: MANY }, '一次最多处理 1000 个渠道，请分批操作'],
  ['POST /api/channel/batch/tag', { ids: MANY }, '一次最多处理 1000 个渠道，请分批操作'],
  ['POST /api/channel/batch/tag', { ids: [] }, '参数错误'],
  ['POST /api/channel/batch/tag', { ids: [1], tag: ' ' }, '标签不能为空！'],
  ['POST /api/channel/batch/tag', { ids: [1] }, '标签不能为空！'],
  ['PUT /api/channel/tag', { tag: '' }, 'tag不能为空'],
  ['PUT /api/channel/tag', { tag: 't' }, '没有任何修改！'],
  ['PUT /api/channel/tag', { tag: 't', new_tag: 't', models: '' }, '没有任何修改！'],
  ['PUT /api/channel/tag', { tag: 't', priority: 'x' }, '参数错误'],
  ['POST /api/channel/tag/enabled', {}, '参数错误'],
  ['POST /api/channel/fetch_models', { type: 'x' }, 'Invalid request'],
  ['POST /api/channel/fetch_models', { type: 1, key: '' }, '请填写密钥'],
  ['POST /api/channel/fetch_models', { type: 1, key: 'bad' }, 'Failed to fetch models'],
] as const)('given %s with %j, when sent, then %s', async (name, body, message) => {
  expect(await call(name, { body })).toMatchObject({ success: false, message })
})

test('given disabled channels, when they are deleted, then the others stay and the count is answered', async () => {
  const on = await made()
  await made({ status: 2 })
  await made({ status: 2 })
  expect((await call('DELETE /api/channel/disabled')).data).toBe(2)
  expect((await listed()).map(({ id }) => id)).toEqual([on])
  expect((await call('POST /api/channel/fix')).data).toBe((await under.listed()).length)
})

test('given ids of which one is a channel, when they are deleted or tagged, then the others are ignored', async () => {
  const a = await made({ tag: 'x' })
  const ids = [a, a, ...Array.from({ length: 998 }, (_, at) => a + 1 + at)]
  const read = vi.spyOn(deps.store, 'readStream')
  const erased = vi.spyOn(deps.secrets, 'erase')
  expect((await call('POST /api/channel/batch/tag', { body: { ids, tag: 'y' } })).data).toBe(1_000)
  expect((await loadChannel(deps, a))?.terms.tag).toBe('y')
  expect((await call('POST /api/channel/batch', { body: { ids } })).data).toBe(1_000)
  expect(erased.mock.calls).toEqual([[a]])
  expect(read.mock.calls.length).toBeLessThan(20)
  expect(await typesOf(a)).toEqual(['ChannelAdded', 'ChannelRevised', 'ChannelDeleted'])
  vi.restoreAllMocks()
})
