import { callerWith } from '@tollgate/tests/support/command-api.ts'
import {
  type ChannelsUnderTest,
  openChannelsUnderTest,
} from '@tollgate/tests/support/channels-under-test.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadChannel } from './channel-writer.ts'
import type { ChannelRouteDeps } from './deps.ts'
import { openChannel } from './open-channel.ts'

let under: ChannelsUnderTest
let deps: ChannelRouteDeps
let secrets: ChannelRouteDeps['secrets']

beforeAll(async () => {
  under = await openChannelsUnderTest()
  ;({ deps } = under)
  ;({ secrets } = deps)
})
afterAll(() => under.close())
beforeEach(() => under.reset())

const call: ChannelsUnderTest['call'] = (name, rest) => under.call(name, rest)
const create = (body: object) => under.create(body)
const put = (body: object) => under.put(body)
const made = (body?: object) => under.made(body)
const typesOf = (id: number) => under.typesOf(id)

test('given a forbidden address, when saved, then it is refused, and one already saved is left alone', async () => {
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
  const { addressProblem } = deps
  Object.assign(deps, { addressProblem: async () => null })
  await put({ id, key: 'sk-1', ...inside })
  Object.assign(deps, { addressProblem })
  expect((await put({ id, ...inside, weight: 3 })).data).toMatchObject({ weight: 3 })
})

test('given an internal address that the option allows, when saved, tested or fetched, then only root may', async () => {
  const message = expect.stringContaining('只有超级管理员')
  const refused = { success: false, message }
  const inside = { base_url: 'http://192.168.0.7' }
  const proxied = { setting: '{"proxy":"socks5://192.168.0.7:1080"}' }
  const root = callerWith(1, 100)
  // Type 4 stands for an address on this machine.
  for (const body of [inside, proxied, { type: 4, base_url: '' }]) {
    expect(await create(body)).toMatchObject(refused)
    const mine = await made({ base_url: 'https://a.example', key: 'sk-own' })
    expect(await put({ id: mine, key: 'sk-1', ...body })).toMatchObject(refused)
    expect(
      await call('PUT /api/channel', { body: { id: mine, ...body }, caller: root }),
    ).toMatchObject({ wrote: expect.any(Number) })
    const params = { id: String(mine) }
    for (const path of ['test', 'fetch_models', 'update_balance'] as const) {
      expect(await call(`GET /api/channel/${path}/:id`, { params })).toMatchObject(refused)
      expect(
        await call(`GET /api/channel/${path}/:id`, { params, caller: root }),
      ).not.toMatchObject({ message })
    }
    // Other changes are still an admin's.
    expect((await put({ id: mine, weight: 3 })).data).toMatchObject({ weight: 3 })
  }
  const asked = { body: { type: 1, key: 'k', ...inside } }
  expect(await call('POST /api/channel/fetch_models', asked)).toMatchObject(refused)
  expect(await call('POST /api/channel/fetch_models', { ...asked, caller: root })).toMatchObject({
    data: ['m1', 'k'],
  })
})

test('given a test or refresh of all, when an admin asks, then internal channels are skipped, not root’s', async () => {
  const outside = await made({ base_url: 'https://a.example' })
  const inside = await made({ base_url: 'https://b.example' })
  const root = callerWith(1, 100)
  const { tests, balances } = under.recorded
  const looked = () => [...tests, ...balances].map(({ channel }) => channel)
  await call('PUT /api/channel', {
    body: { id: inside, base_url: 'http://192.168.0.7' },
    caller: root,
  })
  const before = await typesOf(inside)
  await call('GET /api/channel/test')
  await under.tests.idle()
  await call('GET /api/channel/update_balance')
  expect(await typesOf(inside)).toEqual(before)
  expect(looked()).toEqual([outside, outside])
  await call('GET /api/channel/test', { caller: root })
  await under.tests.idle()
  await call('GET /api/channel/update_balance', { caller: root })
  expect(looked().filter((channel) => channel === inside)).toEqual([inside, inside])
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
  'given a stored key, when an admin sends the channel elsewhere by %j, then only root keeps the key',
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

test('given a channel that root moves, when an admin changes it, then the old address does not come back', async () => {
  const id = await made({ base_url: 'https://admins-own.example', key: 'sk-own' })
  const moved = { id, base_url: 'https://a.example', key: 'sk-of-root' }
  const { addressProblem } = deps
  let isMoved = false
  // Asked once the terms that stood are read, and before anything is written.
  const addressProblemMeanwhile = async (): Promise<null> => {
    if (isMoved) return null
    isMoved = true
    await call('PUT /api/channel', { body: moved, caller: callerWith(1, 100) })
    return null
  }
  Object.assign(deps, { addressProblem: addressProblemMeanwhile })
  const late = { id, base_url: 'https://admins-own.example/v2', weight: 7 }
  const reply = await put(late).finally(() => Object.assign(deps, { addressProblem }))
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
        const run = (...parameters: unknown[]): unknown => Reflect.apply(value, target, parameters)
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
  'given an admin’s move and root’s new key, when %s amid the other, then root’s key stays in place',
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
      const opened = await openChannel(deps, id, 'configured')
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

test.each([
  [{ status: 2 }, 'disabled', 0],
  [{ weight: 3 }, 'enabled', 3],
] as const)(
  'given another who changes and moves a channel, when that happens amid %j, then both changes stand',
  async (mine, status, weight) => {
    let point = 1
    for (; ; point++) {
      const id = await made({ base_url: 'https://a.example' })
      const theirs = { id, models: 'm1', base_url: 'https://b.example', key: 'sk-b' }
      const wasThere = await duringRequest(
        point,
        () => put({ id, ...mine }),
        () => put(theirs),
      )
      if (!wasThere) break
      expect(await loadChannel(deps, id)).toMatchObject({
        status,
        terms: { models: ['m1'], baseUrl: 'https://b.example', weight },
      })
      expect(await openChannel(deps, id, 'configured')).toMatchObject({
        status: 'open',
        probed: { key: 'sk-b', terms: { baseUrl: 'https://b.example' } },
      })
    }
    expect(point).toBeGreaterThan(1)
  },
)

test('given a key for elsewhere, when its channel is tested, asked or changed, then the admin reads why', async () => {
  const id = await made({ base_url: 'https://a.example', key: 'sk-1' })
  const { revision } = (await secrets.open(id)) ?? { revision: -1 }
  await secrets.update(id, { destination: '1 https://b.example' }, revision)
  const message = expect.stringContaining('该渠道的密钥是为另一地址填写的')
  for (const path of ['test', 'update_balance', 'fetch_models']) {
    const asked = await call(`GET /api/channel/${path}/:id`, { params: { id: String(id) } })
    expect(asked).toMatchObject({ success: false, message })
  }
  expect(await put({ id, base_url: 'https://a.example' })).toMatchObject({
    message: expect.stringContaining('请在密钥栏中重新填写该渠道的密钥'),
  })
  expect((await put({ id, weight: 3 })).data).toMatchObject({ weight: 3 })
  expect(await openChannel(deps, id, 'configured')).toMatchObject({ status: 'refused', message })
  await put({ id, key: 'sk-1' })
  expect(await openChannel(deps, id, 'configured')).toMatchObject({
    status: 'open',
    probed: { key: 'sk-1' },
  })
})

test('given a stored key, when an admin changes path or proxy, then it stays with its server', async () => {
  const id = await made({
    base_url: 'https://a.example',
    setting: '{"proxy":"http://p.example"}',
  })
  const reply = await put({ id, base_url: 'https://a.example/v2/', setting: '{"proxy":""}' })
  expect(reply.data).toMatchObject({ base_url: 'https://a.example/v2' })
  expect(await secrets.open(id)).toMatchObject({ key: 'sk-1', proxy: '' })
})
