import { channelStream } from '@tollgate/domain/event.ts'
import { channelId } from '@tollgate/domain/ids.ts'
import { ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import {
  callerWith,
  type CommandApiGround,
  TEST_START,
} from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { autoDisable, concludeTrial, failureWatch, halfOpen } from './automatic-status.ts'
import { loadChannel } from './channel-writer.ts'
import { openChannel } from './open-channel.ts'
import {
  type ChannelsUnderTest,
  FINE,
  openChannelsUnderTest,
  type UpstreamUnderTest,
  USELESS,
} from '@tollgate/tests/support/channels-under-test.ts'
import type { ChannelRouteDeps } from './deps.ts'

let under: ChannelsUnderTest
let ground: CommandApiGround
let deps: ChannelRouteDeps
let secrets: ChannelRouteDeps['secrets']
let tests: ChannelsUnderTest['tests']
let upstream: UpstreamUnderTest

beforeAll(async () => {
  under = await openChannelsUnderTest()
  ;({ ground, deps, tests, upstream } = under)
  ;({ secrets } = deps)
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
const option = (key: string, text: string) => under.option(key, text)

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
    const [added] = await ground.eventsOf(channelStream(id))
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
    const { rows } = await ground.pool.query(
      'select is_pending from secrets.channels where id = $1',
      [id],
    )
    expect(rows).toEqual([{ is_pending: false }])
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
  test('given a channel, when its row comes back with an empty key and stale counters, then only what differs changes', async () => {
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
      max_input_tokens: 0,
    })
    expect(await secrets.open(id)).toEqual({
      name: 'renamed',
      key: 'sk-1',
      proxy: 'http://p.example',
      destination: '1 ',
      revision: 1,
    })
    expect(await typesOf(id)).toEqual(['ChannelAdded', 'ChannelRevised'])
  })

  test('given a new key or proxy, when put, then the row has it before the event says so; the same key says nothing', async () => {
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

  test('given a key or an organization that no header can hold, when put, then refused; a service account has any form', async () => {
    const id = await made()
    for (const unfit of [{ key: 'sk-a\nsk-b' }, { openai_organization: '组织' }]) {
      expect(await put({ id, ...unfit })).toMatchObject({
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

  test('given an address where channels may not lead, when saved, then refused; one that stands already is left alone', async () => {
    const message = expect.stringContaining('fetch_setting.allow_private_channel_addresses')
    const inside = { base_url: 'http://10.0.0.7:11434/' }
    expect(await create(inside)).toMatchObject({ success: false, message })
    const id = await made({ base_url: 'https://a.example' })
    expect(await put({ id, key: 'sk-1', ...inside })).toMatchObject({ success: false, message })
    const proxied = { setting: '{"proxy":"socks5://10.0.0.7:1080"}' }
    expect(await put({ id, key: 'sk-1', ...proxied })).toMatchObject({ success: false, message })
    expect(await create(proxied)).toMatchObject({ success: false, message })
    expect(await typesOf(id)).toEqual(['ChannelAdded'])
    expect((await secrets.open(id))?.proxy).toBe('')
    const metadata = { setting: '{"proxy":"http://169.254.169.254"}' }
    expect(await create(metadata)).toMatchObject({
      success: false,
      message: '渠道 API 地址或代理地址不能指向链路本地地址或云平台元数据服务，请更换地址',
    })
    const { whyForbidden } = deps
    Object.assign(deps, { whyForbidden: async () => null })
    await put({ id, key: 'sk-1', ...inside })
    Object.assign(deps, { whyForbidden })
    expect((await put({ id, ...inside, weight: 3 })).data).toMatchObject({ weight: 3 })
  })

  test.each([
    [{ base_url: 'http://attacker.example' }],
    [{ base_url: 'http://a.example' }],
    [{ base_url: 'https://a.example:8443' }],
    [{ base_url: 'https://a.example.attacker.example' }],
    [{ base_url: '' }],
    [{ type: 4 }],
    [{ setting: '{"proxy":"http://attacker.example:8080"}' }],
  ])(
    'given a stored key, when an admin sends the channel elsewhere by %j, then not without the key; root may',
    async (elsewhere) => {
      const id = await made({
        base_url: 'https://a.example/v1',
        setting: '{"proxy":"http://p.example"}',
      })
      for (const key of [{}, { key: ' ' }]) {
        expect(await put({ id, ...elsewhere, ...key })).toMatchObject({
          success: false,
          message: expect.stringContaining('请在密钥栏中重新填写该渠道的密钥'),
        })
      }
      expect(await typesOf(id)).toEqual(['ChannelAdded'])
      expect((await secrets.open(id))?.proxy).toBe('http://p.example')
      expect(await put({ id, ...elsewhere, key: 'sk-own' })).not.toHaveProperty('success')
      expect((await secrets.open(id))?.key).toBe('sk-own')
      const other = await made({ base_url: 'https://a.example' })
      const byRoot = { body: { id: other, ...elsewhere }, caller: callerWith(1, 100) }
      expect(await call('PUT /api/channel', byRoot)).not.toHaveProperty('success')
    },
  )

  test('given a channel that root moves while an admin changes it, when both are done, then the old address does not come back beside the new key', async () => {
    const id = await made({ base_url: 'https://admins-own.example', key: 'sk-own' })
    const moved = { id, base_url: 'https://a.example', key: 'sk-of-root' }
    const { whyForbidden } = deps
    let isMoved = false
    // Asked once the terms that stood are read, and before anything is written.
    const whyForbiddenMeanwhile = async (): Promise<null> => {
      if (isMoved) return null
      isMoved = true
      await call('PUT /api/channel', { body: moved, caller: callerWith(1, 100) })
      return null
    }
    Object.assign(deps, { whyForbidden: whyForbiddenMeanwhile })
    const late = { id, base_url: 'https://admins-own.example/v2', weight: 7 }
    const reply = await put(late).finally(() => Object.assign(deps, { whyForbidden }))
    expect(isMoved).toBe(true)
    expect(reply).toMatchObject({ message: '渠道的类型或 API 地址刚被他人修改，请刷新后重试' })
    expect((await loadChannel(deps, id))?.terms.baseUrl).toBe('https://a.example')
    expect((await secrets.open(id))?.key).toBe('sk-of-root')
  })

  /** Runs `act` once, before the nth thing that a request reads or writes; answers whether there was one. */
  async function duringRequest(
    nth: number,
    request: () => Promise<unknown>,
    act: () => Promise<unknown>,
  ): Promise<boolean> {
    let seen = 0
    const interrupted = <Target extends object>(target: Target, names: readonly string[]) =>
      new Proxy(target, {
        get: (_, name) => {
          const value: unknown = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          const run = (...parameters: unknown[]): unknown =>
            Reflect.apply(value, target, parameters)
          if (!names.includes(String(name))) return run
          return async (...parameters: unknown[]) => {
            seen += 1
            if (seen === nth) await act()
            return run(...parameters)
          }
        },
      })
    const { store, secrets: rows } = deps
    Object.assign(deps, {
      store: interrupted(store, ['append']),
      secrets: interrupted(rows, ['open', 'update', 'confirm']),
    })
    await request().finally(() => Object.assign(deps, { store, secrets: rows }))
    return seen >= nth
  }

  test.each(['an admin moves', 'root replaces'])(
    'given a channel that an admin moves and root replaces the key of, when %s in the middle of the other at any point, then the key of root stays where root gave it',
    async (inner) => {
      const byAdmin = (id: number) =>
        put({ id, base_url: 'https://admins-own.example', key: 'sk-admin' })
      const byRoot = (id: number) =>
        call('PUT /api/channel', {
          body: { id, base_url: 'https://a.example', key: 'sk-root' },
          caller: callerWith(1, 100),
        })
      const [within, around] = inner === 'root replaces' ? [byRoot, byAdmin] : [byAdmin, byRoot]
      const pairs = new Set<string>()
      const look = async (id: number): Promise<void> => {
        const opened = await openChannel(deps, id)
        if (opened.status === 'refused') return void pairs.add('none')
        const { key, terms } = opened.probed
        pairs.add(`${key} to ${terms.baseUrl}`)
      }
      let point = 1
      for (; ; point++) {
        const id = await made({ base_url: 'https://a.example', key: 'sk-old' })
        const wasThere = await duringRequest(
          point,
          () => around(id),
          async () => {
            await look(id)
            await within(id)
            await look(id)
          },
        )
        await look(id)
        if (!wasThere) break
      }
      expect(point).toBeGreaterThan(4)
      expect(pairs).not.toContain('sk-root to https://admins-own.example')
      expect(pairs).not.toContain('sk-old to https://admins-own.example')
      expect(pairs).not.toContain('sk-admin to https://a.example')
      expect(pairs).toContain('sk-root to https://a.example')
    },
  )

  test('given a key that was given for elsewhere, when its channel is tested, asked or changed, then it stays and the admin reads why', async () => {
    const id = await made({ base_url: 'https://a.example', key: 'sk-1' })
    const { revision } = (await secrets.open(id)) ?? { revision: -1 }
    await secrets.update(id, { destination: '1 https://b.example' }, revision)
    const message = expect.stringContaining('该渠道的密钥是为另一地址填写的')
    for (const path of ['test', 'update_balance', 'fetch_models']) {
      const asked = await call(`GET /api/channel/${path}/:id`, { params: { id: String(id) } })
      expect(asked).toMatchObject({ success: false, message })
    }
    expect(await put({ id, weight: 3 })).toMatchObject({
      message: expect.stringContaining('请在密钥栏中重新填写该渠道的密钥'),
    })
    await put({ id, weight: 3, key: 'sk-1' })
    expect(await openChannel(deps, id)).toMatchObject({ status: 'open', probed: { key: 'sk-1' } })
  })

  test('given two who change one channel at once, when their rows were read together, then the later hears it', async () => {
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

  test('given a stored key, when an admin changes the path or takes the proxy away, then it stays with its server', async () => {
    const id = await made({
      base_url: 'https://a.example',
      setting: '{"proxy":"http://p.example"}',
    })
    const reply = await put({ id, base_url: 'https://a.example/v2/', setting: '{"proxy":""}' })
    expect(reply.data).toMatchObject({ base_url: 'https://a.example/v2' })
    expect(await secrets.open(id)).toMatchObject({ key: 'sk-1', proxy: '' })
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

describe('many at once', () => {
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

  test.each([
    ['POST /api/channel/batch', { ids: [] }, '参数错误'],
    ['POST /api/channel/batch', { ids: ['1'] }, '参数错误'],
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

  test('given channels that are off, when the disabled are deleted, then the others stay and the count is answered', async () => {
    const on = await made()
    await made({ status: 2 })
    await made({ status: 2 })
    expect((await call('DELETE /api/channel/disabled')).data).toBe(2)
    expect((await listed()).map(({ id }) => id)).toEqual([on])
    expect((await call('POST /api/channel/fix')).data).toBe(3)
  })
})

describe('asking upstream', () => {
  const testOne = (id: number, model = '') =>
    call('GET /api/channel/test/:id', { params: { id: String(id) }, query: { model } })

  test('given a channel, when tested, then time and outcome are answered and recorded', async () => {
    const id = await made({ models: 'a,b', test_model: 'b' })
    let asked = ''
    upstream.outcome = (channel, model) => {
      asked = `${channel.key} ${model}`
      return FINE
    }
    expect(await testOne(id)).toMatchObject({ success: true, message: '', extra: { time: 1.234 } })
    expect(asked).toBe('sk-1 b')
    await testOne(id, 'z')
    expect(asked).toBe('sk-1 z')
    upstream.outcome = () => USELESS
    expect(await testOne(id)).toMatchObject({
      success: false,
      message: 'Incorrect API key provided',
      extra: { time: 1.234 },
    })
    const recorded = (await ground.eventsOf(channelStream(id))).filter(
      ({ type }) => type === 'ChannelTested',
    )
    expect(recorded.map(({ data }) => data)).toEqual([
      expect.objectContaining({ model: 'b', succeeded: true, durationMs: 1234, testedBy: 9 }),
      expect.objectContaining({ model: 'z' }),
      expect.objectContaining({ succeeded: false, error: 'Incorrect API key provided' }),
    ])
    expect(await statusOf(id)).toBe('enabled')
  })

  test('given a drawing channel or none, when tested, then refused with a time', async () => {
    const id = await made({ type: 2 })
    expect(await testOne(id)).toMatchObject({
      message: 'midjourney channel test is not supported',
      extra: { time: 0 },
    })
    expect(await testOne(987_654)).toMatchObject({ message: 'record not found' })
  })

  test('given switches, when all are tested, then the useless and the slow go, the recovered are let a request, the exempt stay', async () => {
    await option('AutomaticDisableChannelEnabled', 'true')
    await option('AutomaticEnableChannelEnabled', 'true')
    const [bad, slow, exempt, off, good] = [
      await made({ key: 'bad' }),
      await made({ key: 'slow' }),
      await made({ key: 'bad', auto_ban: 0 }),
      await made({ status: 2 }),
      await made(),
    ]
    upstream.outcome = ({ key }) =>
      key === 'bad' ? USELESS : { ...FINE, durationMs: key === 'slow' ? 5001 : 10 }
    expect(await call('GET /api/channel/test')).toEqual({})
    expect(await call('GET /api/channel/test')).toMatchObject({ message: '测试已在运行中' })
    await tests.idle()
    const statuses = async () => Promise.all([bad, slow, exempt, off, good].map(statusOf))
    expect(await statuses()).toEqual([
      'auto-disabled',
      'auto-disabled',
      'enabled',
      'disabled',
      'enabled',
    ])
    expect((await ground.eventsOf(channelStream(slow))).at(-1)?.data).toMatchObject({
      reason: '响应时间 5.00s 超过阈值 5.00s',
      upstreamStatus: 200,
    })
    expect((await ground.eventsOf(channelStream(bad))).at(-1)?.data).toMatchObject({
      reason: 'Incorrect API key provided',
      upstreamStatus: 401,
      bodyExcerpt: '{"error":{}}',
    })
    upstream.outcome = () => FINE
    await call('GET /api/channel/test')
    await tests.idle()
    expect(await statuses()).toEqual(['half-open', 'half-open', 'enabled', 'disabled', 'enabled'])
    expect((await put({ id: bad, status: 3 })).data).toMatchObject({
      status: 3,
      other_info: expect.stringContaining('测试通过，等待一次请求成功后恢复'),
    })
    upstream.outcome = ({ key }) => (key === 'bad' ? { ...USELESS, banWorthy: false } : FINE)
    await call('GET /api/channel/test')
    await tests.idle()
    expect((await statuses()).slice(0, 2)).toEqual(['auto-disabled', 'half-open'])
    await option('AutomaticDisableChannelEnabled', 'false')
    upstream.outcome = () => USELESS
    await call('GET /api/channel/test')
    await tests.idle()
    expect(await statusOf(good)).toBe('enabled')
  })

  test('given half-open channels, when their trial is concluded, then one is back and the other out for longer, each once', async () => {
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
      retryAt: ground.clock.now() + 120_000,
    })
    await option('AutomaticEnableChannelEnabled', 'false')
    expect(await halfOpen(deps, bad, 'works')).toMatchObject({
      message: '未开启成功时自动启用通道',
    })
  })

  test('given a report of a relay, when it speaks of a useless key, then the channel goes with the reason; else it stays', async () => {
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
    const disabled = (await ground.eventsOf(channelStream(id))).at(-1)
    expect(disabled).toMatchObject({
      type: 'ChannelAutoDisabled',
      data: { upstreamStatus: 429, bodyExcerpt: '{"error":{}}', reason: quota.message },
      metadata: { actor: 'system' },
    })
    expect(await considerFailure(quota)).toBeNull()
  })

  test('given an outage that reports every attempt, when considered, then the stream is read once in five seconds and the channel disabled once', async () => {
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
    ground.pass(5_000)
    await many(report)
    expect(reads).toBe(2)
    const outcomes = await many({ ...report, upstreamStatus: 401 })
    expect(outcomes.filter((outcome) => outcome?.status === 'done').length).toBe(1)
    expect(await statusOf(id)).toBe('auto-disabled')
    // Switched on again, it is watched again when what is known of it is old.
    await put({ id, status: 1 })
    expect(await statusOf(id)).toBe('enabled')
    expect(await considerFailure({ ...report, upstreamStatus: 401 })).toBeNull()
    ground.pass(5_000)
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

  test('given model lists and balances, when read, then answered and recorded; upstream trouble is told', async () => {
    const id = await made()
    const params = { id: String(id) }
    expect((await call('GET /api/channel/fetch_models/:id', { params })).data).toEqual([
      'm1',
      'sk-1',
    ])
    const body = { base_url: '', type: 1, key: 'first\nsecond' }
    expect((await call('POST /api/channel/fetch_models', { body })).data).toEqual(['m1', 'first'])
    expect(await call('GET /api/channel/update_balance/:id', { params })).toMatchObject({
      extra: { balance: 12.5 },
    })
    expect((await loadChannel(deps, id))?.balance).toEqual({
      at: ground.clock.now(),
      usd: '12.5',
    })
    upstream.balanceUsd = new ProbeFailed('尚未实现')
    expect(await call('GET /api/channel/update_balance/:id', { params })).toMatchObject({
      success: false,
      message: '尚未实现',
    })
    await put({ id, key: 'bad' })
    expect(await call('GET /api/channel/fetch_models/:id', { params })).toMatchObject({
      message: 'status code: 401',
    })
  })

  test('given empty balances, when all are read, then channels that may be are taken out', async () => {
    await option('AutomaticDisableChannelEnabled', 'true')
    const poor = await made()
    const exempt = await made({ auto_ban: 0 })
    upstream.balanceUsd = '0'
    await call('GET /api/channel/update_balance')
    expect([await statusOf(poor), await statusOf(exempt)]).toEqual(['auto-disabled', 'enabled'])
    expect((await loadChannel(deps, poor))?.reason).toBe('余额不足')
  })
})
