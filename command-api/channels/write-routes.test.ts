import { channelStream } from '@tollgate/domain/event.ts'
import { type CommandApiFixture, TEST_START } from '@tollgate/tests/support/command-api.ts'
import {
  type ChannelsUnderTest,
  openChannelsUnderTest,
} from '@tollgate/tests/support/channels-under-test.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ChannelRouteDeps } from './deps.ts'

let under: ChannelsUnderTest
let fixture: CommandApiFixture
let secrets: ChannelRouteDeps['secrets']

beforeAll(async () => {
  under = await openChannelsUnderTest()
  ;({ fixture } = under)
  ;({ secrets } = under.deps)
})
afterAll(() => under.close())
beforeEach(() => under.reset())

const call: ChannelsUnderTest['call'] = (name, rest) => under.call(name, rest)
const create = (body: object) => under.create(body)
const put = (body: object) => under.put(body)
const made = (body?: object) => under.made(body)
const listed = () => under.listed()
const typesOf = (id: number) => under.typesOf(id)
const statusOf = (id: number) => under.statusOf(id)

describe('adding', () => {
  test('given a form, when sent, then the event has the terms and no secret, and the row has the secrets', async () => {
    const id = await made({
      name: ' upstream ',
      key: 'sk-secret',
      models: 'gpt-4o, gpt-4o-mini,,gpt-4o',
      group: 'default,vip',
      setting: '{"force_format":true,"proxy":"http://user:pass@proxy.example:8080"}',
      priority: -3,
      weight: 2,
      auto_ban: 0,
      created_time: null,
      max_input_tokens: 5,
    })
    expect(await secrets.open(id)).toEqual({
      name: 'upstream',
      key: 'sk-secret',
      proxy: 'http://user:pass@proxy.example:8080',
      destination: '1 ',
      revision: 0,
    })
    const [added] = await fixture.eventsOf(channelStream(id))
    expect(added).toMatchObject({
      type: 'ChannelAdded',
      data: {
        at: TEST_START,
        type: 1,
        models: ['gpt-4o', 'gpt-4o-mini'],
        groups: ['default', 'vip'],
        setting: '{"force_format":true}',
        priority: -3,
        weight: 2,
        autoBan: false,
      },
      metadata: { actor: 'user:9', causationId: `secrets.channels/${id}` },
    })
    expect(JSON.stringify(added)).not.toMatch(/sk-secret|pass/)
  })

  test('given keys on lines, when sent, then each non-empty line is a channel; Vertex AI keeps its lines', async () => {
    await create({ key: 'a\n\n b \r\nc\n' })
    const ids = (await listed()).map(({ id }) => id)
    const keys = [...(await secrets.openMany(ids)).values()].map(({ key }) => key)
    expect(keys).toEqual(['a', 'b', 'c'])
    const vertex = await made({ type: 41, key: '{\n}', other: 'us-east1' })
    expect((await secrets.open(vertex))?.key).toBe('{\n}')
  })

  test('given a copy of a channel that is off, when sent, then it starts off', async () => {
    expect(await statusOf(await made({ status: 3 }))).toBe('disabled')
  })

  test.each([
    [{ name: ' ' }, '请填写渠道名称和渠道密钥！'],
    [{ key: ' \n ' }, '请填写渠道名称和渠道密钥！'],
    [{ name: 'x'.repeat(256) }, '渠道名称过长'],
    [{ models: '' }, '请至少选择一个模型！'],
    [{ type: 0 }, '不支持的渠道类型：0，请选择其他类型'],
    [{ type: 41 }, '部署地区不能为空'],
    [{ type: 41, other: '{"a":"b"}' }, '部署地区必须包含default字段'],
    [{ models: 'x'.repeat(256) }, `模型名称过长: ${'x'.repeat(256)}`],
    [{ model_mapping: '{' }, '模型映射必须是合法的 JSON 格式！'],
    [{ setting: '{"proxy":7}' }, '代理地址须单独保存，不能留在渠道额外设置中'],
    [{ setting: '{"proxy":"ftp://x"}' }, '代理地址无效，请以 http://、https:// 或 socks5:// 开头'],
    [
      { openai_organization: 'org\r\nx: y' },
      'OpenAI 组织 ID 只能包含可见的 ASCII 字符，请检查后重新填写',
    ],
    [{ key: 'sk-密钥' }, '渠道密钥只能包含可见的 ASCII 字符，不能换行，请检查后重新填写'],
    [{ weight: -1 }, '权重必须是非负整数！'],
    [{ priority: -1000 }, '优先级必须是整数，且不小于 -999！'],
    [{ weight: 1.5 }, '无效的参数'],
    [{ key: 'k\n'.repeat(501) }, '一次最多添加 500 个渠道，请减少密钥行数'],
  ])('given the form %j, when sent, then %s and nothing is left', async (body, message) => {
    expect(await create(body)).toMatchObject({ success: false, message })
    expect(await listed()).toEqual([])
  })
})

describe('changing', () => {
  test('given a channel, when saved with an empty key and stale counters, then only differences change', async () => {
    const id = await made({ tag: 't', setting: '{"proxy":"http://p.example"}' })
    const reply = await put({
      id,
      name: 'renamed',
      key: '',
      models: '',
      group: '',
      type: 0,
      weight: 0,
      tag: '',
      setting: '{"thinking_to_content":true}',
      used_quota: 1,
      response_time: 5,
      balance: 3,
      status: 3,
      max_input_tokens: 4096,
    })
    expect(reply.data).toEqual({
      id,
      type: 1,
      key: '',
      openai_organization: '',
      test_model: '',
      status: 1,
      name: 'renamed',
      weight: 0,
      created_time: TEST_START / 1000,
      test_time: 0,
      response_time: 0,
      base_url: '',
      other: '',
      balance: 0,
      balance_updated_time: 0,
      models: 'gpt-4o',
      group: 'default',
      used_quota: 77,
      model_mapping: '',
      status_code_mapping: '',
      priority: 0,
      auto_ban: 1,
      other_info: '',
      tag: '',
      setting: '{"thinking_to_content":true}',
      param_override: '',
      max_input_tokens: 4096,
    })
    expect((await put({ id, weight: 0 })).data).toMatchObject({ max_input_tokens: 4096 })
    expect(await secrets.open(id)).toEqual({
      name: 'renamed',
      key: 'sk-1',
      proxy: 'http://p.example',
      destination: '1 ',
      revision: 1,
    })
    expect(await typesOf(id)).toEqual(['ChannelAdded', 'ChannelRevised'])
  })

  test('given a new key or proxy, when put, then the row has it before its event; the same key has none', async () => {
    const id = await made()
    await put({ id, key: 'sk-2' })
    expect((await secrets.open(id))?.key).toBe('sk-2')
    await put({ id, key: 'sk-2' })
    await put({ id, key: 'sk-2', setting: '{"proxy":"socks5://p.example:1080"}' })
    await put({ id, setting: '{"proxy":""}' })
    expect((await secrets.open(id))?.proxy).toBe('')
    expect(await typesOf(id)).toEqual([
      'ChannelAdded',
      'ChannelKeyReplaced',
      'ChannelKeyReplaced',
      'ChannelKeyReplaced',
    ])
  })

  test('given a key or organization that fits no header, when put, then only a service account is taken', async () => {
    const id = await made()
    for (const invalid of [{ key: 'sk-a\nsk-b' }, { openai_organization: '组织' }]) {
      expect(await put({ id, ...invalid })).toMatchObject({
        success: false,
        message: expect.stringContaining('只能包含可见的 ASCII 字符'),
      })
    }
    expect((await secrets.open(id))?.key).toBe('sk-1')
    const vertex = await made({ type: 41, key: '{\n}', other: 'us-east1' })
    await put({ id: vertex, key: '{\n"name":"中"}' })
    expect((await secrets.open(vertex))?.key).toBe('{\n"name":"中"}')
  })

  test('given a refused change, when put, then neither terms nor key change', async () => {
    const id = await made()
    expect(await put({ id, key: 'sk-2', model_mapping: '[]' })).toMatchObject({ success: false })
    expect((await secrets.open(id))?.key).toBe('sk-1')
    expect(await typesOf(id)).toEqual(['ChannelAdded'])
  })

  test('given two who read one channel, when both change it, then the later is told of the conflict', async () => {
    const id = await made({ base_url: 'https://a.example' })
    const replies = await Promise.all(['k1', 'k2', 'k3'].map((key) => put({ id, key })))
    const refused = replies.filter(({ success }) => success === false)
    for (const { message } of refused) {
      expect(message).toBe('渠道的类型或 API 地址刚被他人修改，请刷新后重试')
    }
    const done = replies.flatMap(({ success }, index) =>
      success === false ? [] : [`k${index + 1}`],
    )
    expect(done).not.toEqual([])
    expect(done).toContain((await secrets.open(id))?.key)
  })

  test('given a channel, when several change different fields at once, then every change stands', async () => {
    const id = await made({ tag: 't' })
    const changes = [
      { body: { id, weight: 5 }, left: { weight: 5 } },
      { body: { id, priority: 7 }, left: { priority: 7 } },
      { body: { id, models: 'm1,m2' }, left: { models: 'm1,m2' } },
      { body: { id, name: 'renamed' }, left: { name: 'renamed' } },
      { body: { id, status: 2 }, left: { status: 2 } },
    ]
    const replies = await Promise.all([
      ...changes.map(({ body }) => put(body)),
      call('PUT /api/channel/tag', { body: { tag: 't', groups: 'vip' } }),
    ])
    for (const reply of replies) expect(reply).not.toHaveProperty('success')
    const { data } = await put({ id })
    expect(data).toMatchObject(Object.assign({ group: 'vip' }, ...changes.map(({ left }) => left)))
  })

  test('given a channel, when toggled, then it is off and on', async () => {
    const id = await made()
    expect((await put({ id, status: 2 })).data).toMatchObject({ status: 2, models: 'gpt-4o' })
    expect((await put({ id, status: 1 })).data).toMatchObject({ status: 1 })
    expect(await typesOf(id)).toEqual(['ChannelAdded', 'ChannelDisabled', 'ChannelEnabled'])
  })

  test('given no such channel, when changed or deleted, then that is said', async () => {
    for (const [id, message] of [
      [0, 'id 为空！'],
      [-1, 'record not found'],
      [987_654, 'record not found'],
    ] as const) {
      expect(await put({ id, status: 2 })).toMatchObject({ success: false, message })
      const deleted = await call('DELETE /api/channel/:id', { params: { id: String(id) } })
      expect(deleted).toMatchObject({ success: false, message })
    }
  })

  test('given a channel, when deleted, then its secrets are gone and its name stays', async () => {
    const id = await made({ name: 'old' })
    await call('DELETE /api/channel/:id', { params: { id: String(id) } })
    expect(await secrets.open(id)).toBeNull()
    expect((await secrets.describe([id])).get(id)?.name).toBe('old')
    expect(await typesOf(id)).toEqual(['ChannelAdded', 'ChannelDeleted'])
    expect(await secrets.search('old')).toEqual([])
    const other = await made({ name: 'Other', key: 'sk-other' })
    expect(await secrets.search('OTH')).toEqual([other])
    expect(await secrets.search('sk-other')).toEqual([other])
    expect(await secrets.search('sk-othe')).toEqual([])
  })
})
